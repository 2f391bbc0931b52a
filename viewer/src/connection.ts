// The socket of a server. It says the token first, and comes back after it was lost.

import { receive, type Link, type Listener } from "./link";
import { VERSION, type Request } from "./protocol";

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

/** A link to the server that the page came from. */
export function connect(listener: Listener): Link {
    // The token is in the fragment of the address, which browsers do not send to servers.
    const token = new URLSearchParams(window.location.hash.slice(1)).get("token") ?? "";
    return new Connection(token, listener);
}

class Connection implements Link {
    private socket: WebSocket | null = null;
    private pause = FIRST_PAUSE;
    private refused = false;

    constructor(
        private readonly token: string,
        private readonly listener: Listener,
    ) {}

    open(): void {
        const address = new URL("live", window.location.href);
        address.protocol = "ws:";
        address.hash = "";
        const socket = new WebSocket(address);
        socket.binaryType = "arraybuffer";
        socket.onopen = () => socket.send(JSON.stringify({ type: "hello", token: this.token, version: VERSION }));
        socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => {
            const said = receive(event.data, this.listener);
            this.refused ||= said === "refused";
            this.pause = said === "welcome" ? FIRST_PAUSE : this.pause;
        };
        socket.onclose = () => {
            this.socket = null;
            if (this.refused) {
                return;
            }
            this.listener.trouble("The server does not answer. It may have ended; trying again.");
            window.setTimeout(() => this.open(), this.pause);
            this.pause = Math.min(2 * this.pause, LONGEST_PAUSE);
        };
        this.socket = socket;
    }

    send(request: Request): void {
        if (this.socket?.readyState === WebSocket.OPEN) {
            this.socket.send(JSON.stringify(request));
        }
    }
}
