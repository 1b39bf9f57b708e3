//! What words of the trade stand for one another: one table, a group a line; `_` is a space in a phrase.
//!
//! A word of the query also finds the other words of its groups, for less than itself. The groups are short on purpose:
//! a word that means many things finds too much.

/// Words that say how to ask, not what for; `which tests failed` asks for `tests failed`.
pub(super) const STOP: &str = "a an the this that these those it its is are was were be been being am do does did doing done \
    have has had having can could will would shall should may might must of in on at to for from by with into onto about as \
    and or nor but if then than so such there here what which who whom whose when where why how many much long old i me my we \
    our us you your he she they them their any some all every each one ones please show tell find give list get s t ll re ve d \
    m no not only also just too very more most used using use called same out up off down over under between through during \
    while because against per via";

/// Stop words that still tell lines apart a little.
pub(super) const WEAK: &str =
    "no not only more most too same without cannot never all every out up off over under between one";

/// Words that questions are full of and that say little of the line that answers.
pub(super) const GENERAL: &str = "file files line lines list name names number numbers value values item items message messages \
    thing things way kind reason meaning definition section page entry output text word words option options command current \
    data system main used part exact full given needed wanted related happened happen mention mentioned";

/// Short forms: as good as the word itself.
pub(super) const SHORT: &str = "
    administrator admin
    address addr
    allocate alloc
    application app
    argument arg
    asynchronous async
    attribute attr
    authentication auth
    authorization auth
    average avg mean
    boolean bool
    buffer buf
    calculate calc
    certificate cert
    character char
    column col
    command cmd
    configuration config conf cfg
    connection conn
    constant const
    context ctx
    database db
    delete del
    dependency dep
    destination dest dst
    development dev
    directory dir folder
    distribution dist
    document doc documentation docs
    environment env
    error err
    execute exec
    expression expr
    extension ext
    function func fn
    graphics gpu
    identifier id
    image img picture
    information info
    initialize init
    integer int
    javascript js
    kubernetes k8s
    language lang
    length len
    library lib
    maximum max
    memory mem
    message msg
    microsecond us µs
    millisecond ms
    minimum min
    minute min
    number num
    object obj
    operation op
    package pkg
    parameter param
    password passwd pwd
    pointer ptr
    position pos
    previous prev
    process proc
    processor cpu
    production prod
    property prop
    python py
    receive recv
    reference ref
    repository repo
    request req
    response resp
    second sec
    sequence seq
    source src
    specification spec
    standard std
    statistics stats
    string str
    synchronize sync
    synchronous sync
    system sys
    temporary temp tmp
    transaction tx txn
    typescript ts
    utility util
    value val
    variable var
    version ver
    warning warn";

/// Words that say nearly the same of a program.
pub(super) const ALIKE: &str = "
    fail error crash panic exception fatal abort
    missing not_found undefined unresolved no_such unknown absent cannot_find does_not_exist could_not_be_found enoent
    missing na null empty
    slow timeout timed_out latency
    timeout timed_out time_out deadline_exceeded etimedout
    denied forbidden unauthorized refused rejected not_permitted not_allowed eacces eperm
    reject refuse deny decline
    permission access mode
    big large size bytes huge
    too_big too_large too_long exceeds
    remove delete uninstall drop erase
    create make generate add
    install setup add
    start begin launch boot
    stop end finish terminate exit shutdown kill
    skip ignore
    deprecated obsolete outdated
    out_of_date outdated stale new_release newer upgrade
    duplicate already_exists already_defined redefinition eexist
    null none nil nullptr
    identical equal same
    mismatch differ different
    actual got found received
    expected wanted want
    print display output write
    change modify update edit
    upgrade update bump
    downgrade older
    download fetch
    upload post put
    retry attempt try_again
    owner user
    wrong invalid incorrect bad malformed illegal
    corrupt damaged malformed broken invalid
    allowed valid permitted accepted enum
    possible_values enum
    enumeration enum
    wait delay sleep
    time duration elapsed took
    locale language
    cast convert conversion coerce
    transform convert map
    double f64 float
    unused never_used not_used never_read unnecessary
    typo did_you_mean misspelled
    similar_name did_you_mean
    recursion recursive stack_overflow
    out_of_memory oom
    disk_full no_space_left enospc
    url uri href link
    select choose pick
    required mandatory
    optional partial
    search find lookup query
    look_for search find lookup
    check verify validate
    verification verify validate
    assert expect
    row record
    array vector list
    compile build
    compiler gcc rustc
    depend require
    success ok pass succeed
    cpu processor core vcpu
    tls ssl certificate x509
    login sign_in log_in authenticate
    checksum hash digest
    lock mutex
    host hostname server
    endpoint path route
    base_url server host
    current_directory working_directory cwd getcwd pwd
    timezone tz zoneinfo localtime
    architecture arch amd64 x86_64 arm64 aarch64
    operating_system os kernel
    commit revision sha
    hang stuck blocked deadlock
    dns name_resolution getaddrinfo nxdomain could_not_resolve
    memory_usage rss heap
    field column attribute
    schema columns
    default fallback
    example sample
    header heading title
    author maintainer
    license licence
    enabled on true
    disabled off false
    empty blank
    thread worker goroutine
    module crate package library
    import include
    class struct type interface
    method function procedure routine
    mutable mut
    generic template
    inherit extend subclass
    loop iterate
    concatenate join append
    substring slice
    truncate cut shorten
    wildcard glob pattern
    regular_expression regex regexp
    interrupt sigint
    environment_variable env getenv
    quota limit exceeded
    free_space available
    username user login
    vulnerability cve advisory
    stacktrace traceback backtrace
    compress gzip zip deflate
    encrypt cipher
    byte octet
    undo revert reset restore rollback
    leave_out exclude omit skip ignore
    exclude omit ignore
    include add
    insensitive ignore_case
    case_insensitive ignore_case
    around context surrounding neighbour
    several multiple multi many
    multi_line multiline
    discard drop devnull
    time_limit timeout
    limit max maximum cap
    most maximum max highest largest
    least minimum min lowest smallest
    largest max biggest
    smallest min
    first initial begin
    last final latest end
    recursive descend traverse walk
    append add concatenate
    attach mount
    hidden dot invisible
    symlink symbolic_link link
    shared_memory shm
    read_only readonly ro
    read_write rw
    unavailable 503 offline down
    prototype declaration signature
    declare declaration define
    define definition
    semicolon ';' ‘;’ `;`
    constant const final
    number count amount
    amount total sum
    price cost
    pick choose select
    allow permit enable accept
    forbid deny prohibit disallow
    disable off no turn_off
    enable on turn_on
    hide suppress silence quiet
    verbose debug trace
    log journal
    record row entry
    group cluster
    sort order
    ascending asc
    descending desc
    reverse invert
    rename move mv
    copy cp duplicate
    unpack extract decompress unzip
    archive tarball zip
    pack archive compress
    contents list
    input stdin
    standard_input stdin
    standard_output stdout
    standard_error stderr
    exit_code exit_status return_code status
    exit_status exit_code return_code returncode
    non_zero nonzero
    subprocess child process
    child subprocess fork
    parallel concurrent jobs threads
    background daemon
    foreground fg
    schedule cron job
    temporary_file tempfile mktemp
    home_directory home
    root admin superuser
    private internal
    secret token credential password
    credentials auth login
    api_key token secret
    key identity
    public_key pubkey
    keep_alive keepalive
    connect connection
    disconnect close drop
    socket port
    listen bind
    listening listen bind
    gateway proxy
    jump_host bastion
    load_balancer upstream
    upstream backend
    client caller consumer
    mail email smtp
    deliver send
    receive read get
    throttle rate_limit 429
    cache store memo
    evict purge expire
    free release drop evict
    expired expire stale outdated
    exhausted run_out ran_out no_more
    run_out exhausted
    garbage_collection gc
    swap paging
    disk storage volume
    filesystem fs
    partition disk device
    available free
    busy in_use locked
    wait block
    race data_race concurrent
    ownership borrow move
    lifetime borrow
    nonexistent missing undefined unknown no_such
    not_exist missing undefined unknown no_such
    unknown unrecognized undefined
    unexpected expected
    redundant unnecessary superfluous useless
    unreachable dead_code never
    dead_code never_used unused
    cyclic circular cycle
    ambiguous conflict
    conflict clash collision
    overflow out_of_range exceeds
    out_of_range out_of_bounds overflow
    out_of_bounds index_out_of_range
    division_by_zero zerodivision
    divide division
    null_pointer nullpointer npe nullptr
    key_not_found keyerror
    type_mismatch incompatible_types mismatched_types
    incompatible mismatch mismatched
    cannot_convert incompatible
    member field attribute property
    property attribute field member
    parameter argument
    signature prototype
    void unit
    struct record
    enumeration variant
    interface trait protocol
    annotation decorator attribute
    comment remark
    identical same duplicate
    similar like
    inline inlining
    unroll unrolling
    optimize optimise -o
    strip remove
    link linker ld
    linker ld collect2 undefined_reference
    target goal
    artifact output
    crate package
    test_suite tests suite
    expectation assert expect
    assertion assert assertionerror
    flaky intermittent
    coverage covered
    benchmark bench
    profile profiling
    slowest slow
    fast quick
    speed throughput rate
    progress percent
    percentage percent %
    bandwidth throughput speed
    frequency rate mhz hz
    temperature celsius
    width columns
    height rows
    colour color
    grey gray
    licence license copyright
    terms license
    contributor author
    release version
    released release date
    published release publish
    minimum_supported msrv
    stable release
    beta prerelease
    changelog changes
    breaking_change incompatible
    new_feature added
    bug_fix fix fixed
    fix fixed repair
    security vulnerability cve
    migration migrate upgrade
    introduce add
    blame annotate
    stash shelve
    merge combine join
    combine merge squash
    abort cancel stop
    cancel abort stop
    continue resume
    resume continue
    resolve fix
    squash fixup combine
    branch ref
    submodule subproject
    remote origin upstream
    clone checkout
    tag label
    label tag
    annotation note
    query select
    index key
    primary_key pk
    foreign_key fk references
    unique distinct
    rollback undo
    replica standby slave
    leader master primary
    node host machine
    container docker pod
    pod container
    replica copy
    crash_loop crashloopbackoff
    image_pull imagepull
    health liveness readiness
    restart restarted
    instance server vm
    virtual_machine vm
    region zone
    quota limit
    billing cost
    latitude lat coordinates
    longitude lon lng coordinates
    country nation
    currency eur usd
    language locale
    month date
    deadline timeout expiry
    parse syntax
    parser syntax_error unexpected_token
    indentation indent
    infinite endless
    thread_dump stack_trace
    backtrace traceback stack_trace
    cause caused_by reason because
    root_cause caused_by
    summary total
    restart reboot
    unreachable no_route
    leak not_closed not_released
    segfault segmentation_fault sigsegv
    killed sigkill oom_killed
    broken_pipe epipe sigpipe
    connection_refused econnrefused
    connection_reset econnreset
    address_in_use eaddrinuse address_already_in_use
    too_many_open_files emfile
    read_only erofs
    not_a_directory enotdir
    is_a_directory eisdir
    permission_denied eacces
    bad_request 400
    unauthorized 401
    forbidden 403
    not_found 404
    method_not_allowed 405
    unsupported_method 405 501
    request_timeout 408
    conflict 409
    gone 410
    too_large 413
    payload_too_large 413
    unsupported_media 415
    unprocessable 422
    too_many_requests 429
    rate_limit 429 too_many_requests throttle
    internal_server_error 500
    not_implemented 501
    bad_gateway 502
    service_unavailable 503
    gateway_timeout 504
    redirect 301 302 307 308
    not_modified 304
    created 201";

/// Verbs that change inside: their forms share no beginning.
pub(super) const IRREGULAR: &str = "
    begin began begun
    break broke broken
    bring brought
    build built
    catch caught
    choose chose chosen
    do did done
    draw drew drawn
    drive drove driven
    find found
    forget forgot forgotten
    freeze froze frozen
    get got gotten
    give gave given
    go went gone
    grow grew grown
    hang hung
    hide hid hidden
    hold held
    keep kept
    know knew known
    leave left
    lose lost
    make made
    mean meant
    run ran
    see saw seen
    send sent
    shake shook
    spend spent
    spin spun
    stick stuck
    take took taken
    tell told
    think thought
    throw threw thrown
    understand understood
    wake woke
    win won
    write wrote written
    child children
    index indices indexes
    matrix matrices
    vertex vertices
    man men
    person people
    foot feet
    datum data
    analysis analyses
    diagnose diagnosis diagnostic";
