// The worker of a page without a server: steps when a step is due, answers in between.

/** What it uses of the npm package. */
interface Session {
    request(text: string): (string | Uint8Array)[];
    advance(): (string | Uint8Array)[];
    readonly isRunning: boolean;
    readonly interval: number;
}

interface Engine {
    default(): Promise<unknown>;
    Session: new () => Session;
}

/** A simulation that is this far behind the clock gives up catching up [ms]. */
const MOST_BEHIND = 250;
/** Orders are looked for this often [ms]. */
const SLICE = 12;

let session: Promise<Session> | null = null;
let due = 0;
let ticking = false;

function send(messages: (string | Uint8Array)[]): void {
    for (const message of messages) {
        if (typeof message === "string") {
            postMessage(message);
        } else {
            // A copy of its own, so that it can be handed over without another.
            const bytes = message.slice().buffer;
            postMessage(bytes, { transfer: [bytes] });
        }
    }
}

function tick(running: Session): void {
    const began = performance.now();
    while (running.isRunning && performance.now() - began < SLICE) {
        const now = performance.now();
        if (now < due) {
            break;
        }
        send(running.advance());
        due = Math.max(due + 1000 * running.interval, now - MOST_BEHIND);
    }
    ticking = running.isRunning;
    if (ticking) {
        setTimeout(() => tick(running), Math.max(0, due - performance.now()));
    }
}

async function load(address: string): Promise<Session> {
    const engine = (await import(/* @vite-ignore */ address)) as Engine;
    await engine.default();
    return new engine.Session();
}

// The first message is the address of the engine, all others are requests.
onmessage = async (event: MessageEvent<string>): Promise<void> => {
    if (session === null) {
        session = load(event.data);
        // Without it the page would wait for ever.
        session.catch((error: unknown) => {
            postMessage(JSON.stringify({ type: "error", code: 500, message: `The engine cannot be loaded: ${String(error)}` }));
        });
        return;
    }
    const running = await session;
    send(running.request(event.data));
    if (running.isRunning && !ticking) {
        due = performance.now();
        tick(running);
    }
};
