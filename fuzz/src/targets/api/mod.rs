//! Sequences of calls on a world with the default method and the position pass. Bytes are read as calls and their numbers.

mod edits;
mod values;

use super::{Target, check_finite};
use edits::{ask, change_body, change_joint, tie};
use signorini::glamx::DVec3;
use signorini::{Body, BodyHandle, JointHandle, Settings, Shape, Sleeping, Snapshot, StepStatus, StoppingRule, World};
use values::Values;

pub const CALLS: Target = Target {
    name: "calls",
    run,
    // All bytes in turn, and bodies that are added, stepped and tied.
    seeds: || vec![(0..=255).collect(), [[0_u8, 40, 80, 120], [10, 128, 128, 160]].concat().repeat(20)],
    tokens: &[],
    mend: None,
    short: 7500,
};

/// Most bodies and steps of one input: more would only be slow.
const MOST_BODIES: usize = 8;
const MOST_STEPS: usize = 12;
/// Iterations of one island in a step that nobody should reach: see the soak test.
const MOST_ITERATIONS: usize = 20_000;

fn run(bytes: &[u8]) -> String {
    let mut values = Values(bytes);
    let first = values.byte().unwrap_or(0);
    let settings = Settings {
        stop: StoppingRule::velocity([1e-9, 1e-9, 0.0, 1e-6][usize::from(first & 3)]),
        sleeping: if first & 4 != 0 { Sleeping::islands() } else { Sleeping::Off },
        ..Settings::default()
    };
    let Ok(mut world) = World::new(settings) else { return "settings".to_owned() };
    if first & 8 == 0
        && let Ok(floor) = Shape::half_space(DVec3::Z)
    {
        let _ = world.add(Body::fixed(floor).named("floor"));
    }
    // Handles of what is gone stay in the lists.
    let (mut bodies, mut joints): (Vec<BodyHandle>, Vec<JointHandle>) = (Vec::new(), Vec::new());
    let (mut words, mut steps) = (String::new(), 0);
    while let Some(call) = values.byte() {
        let before = world.snapshot().to_bytes();
        let mut pick = || bodies.get(usize::from(values.byte().unwrap_or(0)) % bodies.len().max(1)).copied();
        let (one, two) = (pick(), pick());
        let outcome: Result<(), String> = match (call % 16, one) {
            (0..=2, _) if world.bodies().count() < MOST_BODIES => match values.body() {
                Some(body) => world.add(body).map(|handle| bodies.push(handle)).map_err(|error| error.to_string()),
                None => Ok(()),
            },
            (3, Some(body)) => world.remove(body).map_err(|error| error.to_string()),
            (4..=7, Some(body)) => change_body(&mut world, body, &mut values).map_err(|error| error.to_string()),
            (8, Some(body)) => {
                let tied = tie(&mut world, body, two, &mut values);
                tied.map(|joint| joints.push(joint)).map_err(|error| error.to_string())
            }
            (9, _) if !joints.is_empty() => {
                let joint = joints[usize::from(values.byte().unwrap_or(0)) % joints.len()];
                change_joint(&mut world, joint, &mut values).map_err(|error| error.to_string())
            }
            (10, _) => {
                ask(&world, [one, two], &mut values);
                assert_eq!(world.snapshot().to_bytes(), before, "a question changed something");
                Ok(())
            }
            (11, _) => {
                let read = Snapshot::from_bytes(&before);
                assert!(read.is_ok(), "a snapshot that cannot be read: {:?}", read.err());
                read.map_or(Ok(()), |snapshot| world.restore(&snapshot).map_err(|error| error.to_string()))
            }
            (12.., _) if steps < MOST_STEPS => {
                steps += 1;
                let dt = [1.0 / 60.0, 1.0 / 240.0, 0.1, values.number()][usize::from(call >> 6)];
                step(&mut world, dt, &before).map(|told| words = told)
            }
            _ => Ok(()),
        };
        if let Err(error) = outcome {
            assert_eq!(world.snapshot().to_bytes(), before, "refused, and yet something changed: {error}");
            // What a caller does when a step was not taken: take the forces back and go on.
            if call % 16 >= 12 {
                world.clear_forces();
            }
            words = error;
        }
        check_finite(&world);
    }
    words
}

/// A step within its ration of work, with books that are numbers.
fn step(world: &mut World, dt: f64, before: &[u8]) -> Result<String, String> {
    let report = world.step(dt).map_err(|error| error.to_string())?;
    let (spent, most) = (report.effort.iterations, MOST_ITERATIONS * report.counts.islands.max(1));
    assert!(spent <= most, "{spent} iterations in a step");
    assert!(report.energy.closure().is_finite(), "{:?}", report.energy);
    assert!(dt != 0.0 || world.snapshot().to_bytes() == before, "a step of no time changed something");
    let certified = report.status == StepStatus::Certified;
    Ok(format!("{certified} {} {}", report.counts.joints > 0, report.counts.contacts > 0))
}
