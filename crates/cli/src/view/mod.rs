//! `signorini view`: a page in the browser that shows a simulation while it runs.

mod access;
mod assets;
mod catalogue;
mod error;
mod frame;
mod options;
mod protocol;
mod run;
mod server;
mod session;
mod simulation;

pub use error::ViewError;
pub use options::ViewArguments;

use crate::error::InputError;
use crate::output::Output;
use crate::solve::Verdict;
use access::Token;
use catalogue::{Catalogue, Plan, read_scene};
use protocol::LaneRequest;
use run::{Phase, Status};
use session::Shared;
use signorini_solvers::Method;
use simulation::{Simulation, drive};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::sync_channel;
use tokio::sync::{Semaphore, watch};

/// Orders that may wait for the simulation.
const MOST_ORDERS: usize = 16;
/// Threads for sockets. They wait most of the time.
const SERVER_THREADS: usize = 2;

/// Simulates and serves until the process is ended.
pub fn run(arguments: &ViewArguments, output: &mut Output) -> Result<Verdict, InputError> {
    check_exposure(arguments)?;
    let mut catalogue = Catalogue::built_in();
    let plan = plan(arguments, &mut catalogue)?;
    let name = plan.scene.name.clone();
    let methods = plan.lane_texts().iter().map(|lane| lane.method.clone()).collect::<Vec<_>>().join(" against ");
    let simulation = Simulation::new(plan, 1).map_err(|why| ViewError::Scene { name: name.clone(), why })?;
    let listeners = server::listen(arguments.listen, arguments.port)?;
    let token = Token::new()?;

    if let Some(address) = listeners.first().and_then(|listener| listener.local_addr().ok()) {
        output.line(&format!("{name}, solved by {methods}. Open in a browser:"))?;
        output.line(&format!("  http://{address}/#token={}", token.text()))?;
    }
    if arguments.control {
        output.line("Whoever has this address can control the simulation. Ctrl-C ends it.")?;
    } else {
        output.line("Read-only; with --control the page can also pause, restart and change it. Ctrl-C ends it.")?;
    }

    let status = Status { run: simulation.run(), phase: Phase::Running, speed: arguments.speed, end: 1 };
    let (status_sender, status) = watch::channel(status);
    let (orders, order_receiver) = sync_channel(MOST_ORDERS);
    let shared = Arc::new(Shared {
        token,
        control: arguments.control,
        scenes: catalogue.choices(),
        catalogue,
        methods: Method::ALL.iter().map(|method| method.name()).collect(),
        status,
        orders: Some(orders),
        seats: Arc::new(Semaphore::new(server::MOST_PAGES)),
    });
    let spawned = std::thread::Builder::new()
        .name("simulation".to_owned())
        .spawn(|| drive(simulation, order_receiver, status_sender));
    spawned.map_err(ViewError::Server)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(SERVER_THREADS)
        .thread_name("server")
        .enable_io()
        .enable_time()
        .build()
        .map_err(ViewError::Server)?;
    runtime.block_on(server::serve(listeners, shared)).map_err(ViewError::Server)?;
    Ok(Verdict::Solved)
}

/// Other machines only on purpose.
fn check_exposure(arguments: &ViewArguments) -> Result<(), ViewError> {
    match arguments.listen.map(|address: IpAddr| (address, address.to_canonical().is_loopback())) {
        Some((address, false)) if !arguments.expose => Err(ViewError::Exposed { address }),
        _ => Ok(()),
    }
}

/// What the command line asks for.
fn plan(arguments: &ViewArguments, catalogue: &mut Catalogue) -> Result<Plan, ViewError> {
    let unknown =
        |name: &str, catalogue: &Catalogue| ViewError::UnknownScene { name: name.to_owned(), known: catalogue.names() };
    let scene = match arguments.scene.as_deref() {
        None => catalogue.first().cloned().ok_or_else(|| unknown("", catalogue))?,
        Some(name) => match catalogue.find(name) {
            Some(scene) => scene.clone(),
            None if Path::new(name).exists() => {
                let scene = read_scene(Path::new(name))?;
                catalogue.add(scene.clone());
                scene
            }
            None => return Err(unknown(name, catalogue)),
        },
    };
    let lane = |method: Option<Method>, max_iterations| LaneRequest {
        method: method.map(|method| method.name().to_owned()),
        max_iterations,
        tolerance: arguments.tolerance,
    };
    let mut lanes = vec![lane(arguments.method, arguments.iterations)];
    if let Some(method) = arguments.compare {
        lanes.push(lane(Some(method), arguments.compare_iterations));
    }
    let name = scene.name.clone();
    Plan::new(scene, lanes).map_err(|why| ViewError::BadScene { path: name.into(), why })
}
