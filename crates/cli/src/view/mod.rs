//! `signorini view`: a page in the browser that shows a simulation while it runs, or a recording.

mod access;
mod assets;
mod error;
mod frame_store;
mod options;
mod places;
mod plain;
mod recording;
mod run;
mod server;
mod session;
mod simulation;

pub use error::ViewError;
pub use options::ViewArguments;

use crate::error::InputError;
use crate::interrupt::Interrupt;
use crate::output::{Output, check_writable};
use crate::solve::Verdict;
use access::Token;
use recording::Recording;
use run::Status;
use session::Shared;
use signorini_solvers::Method;
use signorini_view::catalogue::{Catalogue, Plan, read_scene};
use signorini_view::phase::Phase;
use signorini_view::protocol::LaneRequest;
use simulation::{Command, Simulation, drive};
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{SyncSender, sync_channel};
use std::time::Duration;
use tokio::sync::{Semaphore, watch};

/// Most commands that may wait for the simulation.
const MOST_ORDERS: usize = 16;
/// Threads for sockets, which wait most of the time.
const SERVER_THREADS: usize = 2;

/// Simulates or shows a recording, and serves until the process is ended.
pub fn run(arguments: &ViewArguments, output: &mut Output) -> Result<Verdict, InputError> {
    check_exposure(arguments)?;
    match arguments.scene.as_deref().map(Path::new) {
        Some(path) if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("mcap")) => {
            check_recording_options(arguments)?;
            let (run, name, count) = Recording::open(path)?;
            let status = Status { run, phase: Phase::Recorded, speed: 1.0, end: count };
            // The sender lives as long as the server: sessions end when it is dropped.
            let (_sender, status) = watch::channel(status);
            serve(arguments, output, &format!("{name}, {count} recorded moments"), Catalogue::default(), status, None)
        }
        _ => simulate(arguments, output),
    }
}

fn simulate(arguments: &ViewArguments, output: &mut Output) -> Result<Verdict, InputError> {
    let mut catalogue = Catalogue::built_in();
    let plan = plan(arguments, &mut catalogue)?;
    let name = plan.scene.name.clone();
    let methods = plan.lane_texts().iter().map(|lane| lane.method.clone()).collect::<Vec<_>>().join(" against ");
    let title = format!("{name}, solved by {methods}");
    let mut simulation = Simulation::new(plan, 1)?;
    if let Some(path) = &arguments.record {
        check_writable(path)?;
        simulation.record(path, (arguments.contacts, arguments.force))?;
    }
    let status = Status { run: simulation.run(), phase: Phase::Running, speed: arguments.speed, end: 1 };
    let (sender, status) = watch::channel(status);
    let (orders, receiver) = sync_channel(MOST_ORDERS);
    let thread = std::thread::Builder::new().name("simulation".to_owned());
    let thread = thread.spawn(|| drive(simulation, receiver, sender)).map_err(ViewError::Server)?;
    let served = serve(arguments, output, &title, catalogue, status, Some(orders));
    // No session is left that could send commands, so the simulation ends and completes its recording.
    match thread.join() {
        Ok(recorded) => served.and_then(|verdict| recorded.map(|()| verdict)),
        Err(_) => served,
    }
}

/// Prints the address and serves it.
fn serve(
    arguments: &ViewArguments,
    output: &mut Output,
    title: &str,
    catalogue: Catalogue,
    status: watch::Receiver<Status>,
    orders: Option<SyncSender<Command>>,
) -> Result<Verdict, InputError> {
    let listeners = server::listen(arguments.listen, arguments.port)?;
    let token = Token::new()?;
    if let Some(address) = listeners.first().and_then(|listener| listener.local_addr().ok()) {
        output.line(&format!("{title}. Open in a browser:"))?;
        output.line(&format!("  http://{address}/#token={}", token.text()))?;
    }
    output.line(match (&orders, arguments.control) {
        (None, _) => "Ctrl-C ends it.",
        (Some(_), true) => "Whoever has this address can control the simulation. Ctrl-C ends it.",
        (Some(_), false) => "Read-only; with --control the page can also hold, restart and change it. Ctrl-C ends it.",
    })?;
    let shared = Arc::new(Shared {
        token,
        control: arguments.control,
        scenes: catalogue.choices(),
        catalogue,
        methods: Method::ALL.iter().map(|method| method.name()).collect(),
        status,
        orders,
        seats: Arc::new(Semaphore::new(server::MOST_PAGES)),
    });
    let interrupt = Interrupt::listen().map_err(InputError::Interrupts)?;
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(SERVER_THREADS)
        .thread_name("server")
        .enable_io()
        .enable_time()
        .build()
        .map_err(ViewError::Server)?;
    let served = runtime.block_on(server::serve(listeners, shared, &interrupt)).map_err(ViewError::Server);
    // Sessions that are still open are closed.
    runtime.shutdown_timeout(Duration::from_secs(1));
    served.map(|()| Verdict::Solved).map_err(InputError::View)
}

/// Refuses options that only a simulation understands.
fn check_recording_options(arguments: &ViewArguments) -> Result<(), ViewError> {
    let ViewArguments { control, method, iterations, compare, tolerance, record, .. } = arguments;
    let given = [
        ("--control", *control),
        ("--method", method.is_some()),
        ("--iterations", iterations.is_some()),
        ("--compare", compare.is_some()),
        ("--tolerance", tolerance.is_some()),
        ("--record", record.is_some()),
    ];
    match given.into_iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(ViewError::RecordingOption { option }),
        None => Ok(()),
    }
}

/// Refuses addresses that other machines can reach, unless `--expose` is given.
fn check_exposure(arguments: &ViewArguments) -> Result<(), ViewError> {
    match arguments.listen.map(|address: IpAddr| (address, address.to_canonical().is_loopback())) {
        Some((address, false)) if !arguments.expose => Err(ViewError::Exposed { address }),
        _ => Ok(()),
    }
}

/// The plan that the command line asks for.
fn plan(arguments: &ViewArguments, catalogue: &mut Catalogue) -> Result<Plan, ViewError> {
    let unknown =
        |name: &str, catalogue: &Catalogue| ViewError::UnknownScene { name: name.to_owned(), known: catalogue.names() };
    let scene = match arguments.scene.as_deref() {
        None => catalogue.first().cloned().ok_or_else(|| unknown("", catalogue))?,
        Some(name) => match catalogue.find(name) {
            Some(scene) => scene.clone(),
            None if Path::new(name).exists() => {
                let scene = read_scene(Path::new(name)).map_err(ViewError::SceneFile)?;
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
    Plan::new(scene, lanes).map_err(ViewError::Plan)
}
