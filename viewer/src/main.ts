import { connect } from "#link";
import { Page } from "./page";

new Page(connect).start();
