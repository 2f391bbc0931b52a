// A page without a server: the engine, as WebAssembly, steps in a worker of its own, so that the page never waits for it.

import { receive, type Link, type Listener } from "./link";
import { VERSION, type Request } from "./protocol";

/** A link to an engine that is loaded from `engine/` beside the page. */
export function connect(listener: Listener): Link {
    return new LocalConnection(listener);
}

class LocalConnection implements Link {
    private worker: Worker | null = null;

    constructor(private readonly listener: Listener) {}

    open(): void {
        this.worker = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
        this.worker.onmessage = (event: MessageEvent<ArrayBuffer | string>) => receive(event.data, this.listener);
        this.worker.onerror = (event) => this.listener.trouble(`The engine stopped: ${event.message}. Load the page again.`);
        this.worker.postMessage(new URL("engine/signorini.js", document.baseURI).href);
        this.send({ type: "hello", token: "", version: VERSION });
        // Whoever opens a page wants to see something move.
        const scene = new URLSearchParams(window.location.hash.slice(1)).get("scene");
        this.send(scene === null ? { type: "resume" } : { type: "open", scene, lanes: [{}] });
    }

    send(request: Request): void {
        this.worker?.postMessage(JSON.stringify(request));
    }
}
