//! Forces from outside: what a run was told while it went on, and its scene does not say.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use signorini::glamx::DVec3;
use signorini::{World, WorldError};

/// A force on a body during one step.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Push {
    /// Place of the body in the header.
    pub body: usize,
    /// World axes \[N\].
    pub force: [f64; 3],
    /// Where it acts, in the world \[m\].
    pub point: [f64; 3],
}

impl Push {
    /// Those of a message on `/step`; none in recordings of runs that nobody pushed.
    pub(crate) fn of(message: &Value) -> Vec<Push> {
        serde_json::from_value(message["pushes"].clone()).unwrap_or_default()
    }

    /// Adds the force to what acts in the next step of a world with these bodies.
    pub(crate) fn apply(&self, world: &mut World) -> Result<(), WorldError> {
        let Some((handle, _)) = world.bodies().nth(self.body) else { return Ok(()) };
        world.add_force_at(handle, DVec3::from_array(self.force), DVec3::from_array(self.point))
    }
}
