import { Page } from "./page";

// The token is in the fragment of the address, which browsers do not send to servers.
const token = new URLSearchParams(window.location.hash.slice(1)).get("token") ?? "";
new Page(token).start();
