// The socket. It says the token first, and comes back after it was lost.

import { VERSION, decodeFrame, type Answer, type Frame, type Request } from "./protocol";

export interface Listener {
    answer(answer: Answer): void;
    frame(frame: Frame): void;
    /** Null: connected; otherwise what a person should know. */
    trouble(message: string | null): void;
}

const FIRST_PAUSE = 500;
const LONGEST_PAUSE = 8000;

export class Connection {
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
        socket.onmessage = (event: MessageEvent<ArrayBuffer | string>) => this.receive(event.data);
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

    private receive(data: ArrayBuffer | string): void {
        if (typeof data !== "string") {
            this.listener.frame(decodeFrame(data));
            return;
        }
        const answer = JSON.parse(data) as Answer;
        if (answer.type === "welcome") {
            this.pause = FIRST_PAUSE;
            this.listener.trouble(null);
        } else if (answer.type === "error" && (answer.code === 401 || answer.code === 503)) {
            this.refused = true;
            this.listener.trouble(`Refused: ${answer.message}.`);
            return;
        }
        this.listener.answer(answer);
    }
}
