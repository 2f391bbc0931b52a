// What the page talks to: a server over a socket, or a worker that simulates. It cannot tell the two apart.

import { decodeFrame, type Answer, type Frame, type Request } from "./protocol";

export interface Listener {
    answer(answer: Answer): void;
    frame(frame: Frame): void;
    /** Null: connected; otherwise what a person should know. */
    trouble(message: string | null): void;
}

export interface Link {
    open(): void;
    send(request: Request): void;
}

/** Passes on what arrived; says whether the other side refuses to talk. */
export function receive(data: ArrayBuffer | string, listener: Listener): "welcome" | "refused" | null {
    if (typeof data !== "string") {
        listener.frame(decodeFrame(data));
        return null;
    }
    const answer = JSON.parse(data) as Answer;
    if (answer.type === "error" && (answer.code === 401 || answer.code === 503)) {
        listener.trouble(`Refused: ${answer.message}.`);
        return "refused";
    }
    if (answer.type === "welcome") {
        listener.trouble(null);
    }
    listener.answer(answer);
    return answer.type === "welcome" ? "welcome" : null;
}
