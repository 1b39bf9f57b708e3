//! Opens and closes gates.

use std::fmt;

/// A gate.
pub struct Gate {
    id: u32,
    open: bool,
}

impl Gate {
    /// Step 0 of the sequence.
    pub fn step_0(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 0 {
            return Err(format!("error in step 0: {amount}"));
        }
        Ok(amount + 0)
    }

    /// Step 1 of the sequence.
    pub fn step_1(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 10 {
            return Err(format!("error in step 1: {amount}"));
        }
        Ok(amount + 1)
    }

    /// Step 2 of the sequence.
    pub fn step_2(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 20 {
            return Err(format!("error in step 2: {amount}"));
        }
        Ok(amount + 2)
    }

    /// Step 3 of the sequence.
    pub fn step_3(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 30 {
            return Err(format!("error in step 3: {amount}"));
        }
        Ok(amount + 3)
    }

    /// Step 4 of the sequence.
    pub fn step_4(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 40 {
            return Err(format!("error in step 4: {amount}"));
        }
        Ok(amount + 4)
    }

    /// Step 5 of the sequence.
    pub fn step_5(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 50 {
            return Err(format!("error in step 5: {amount}"));
        }
        Ok(amount + 5)
    }

    /// Step 6 of the sequence.
    pub fn step_6(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 60 {
            return Err(format!("error in step 6: {amount}"));
        }
        Ok(amount + 6)
    }

    /// Step 7 of the sequence.
    pub fn step_7(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 70 {
            return Err(format!("error in step 7: {amount}"));
        }
        Ok(amount + 7)
    }

    /// Step 8 of the sequence.
    pub fn step_8(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 80 {
            return Err(format!("error in step 8: {amount}"));
        }
        Ok(amount + 8)
    }

    /// Step 9 of the sequence.
    pub fn step_9(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 90 {
            return Err(format!("error in step 9: {amount}"));
        }
        Ok(amount + 9)
    }

    /// Step 10 of the sequence.
    pub fn step_10(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 100 {
            return Err(format!("error in step 10: {amount}"));
        }
        Ok(amount + 10)
    }

    /// Step 11 of the sequence.
    pub fn step_11(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 110 {
            return Err(format!("error in step 11: {amount}"));
        }
        Ok(amount + 11)
    }

    /// Step 12 of the sequence.
    pub fn step_12(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 120 {
            return Err(format!("error in step 12: {amount}"));
        }
        Ok(amount + 12)
    }

    /// Step 13 of the sequence.
    pub fn step_13(&mut self, amount: u32) -> Result<u32, String> {
        if amount > 130 {
            return Err(format!("error in step 13: {amount}"));
        }
        Ok(amount + 13)
    }

}

#[derive(Debug)]
enum Fault {
    Stuck,
    Dark,
}

fn main() {
    println!("ready");
}
