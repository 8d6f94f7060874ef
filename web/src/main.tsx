// main.tsx — where the page begins.
import "./style/tokens.css";
import "./style/base.css";
import "./style/shell.css";
import { createRoot } from "react-dom/client";
import { App } from "./app";
import { Boundary } from "./shell/boundary";
import { live } from "./live/connection";
import { language } from "./text";

document.documentElement.lang = language;
live.start();
const root = document.getElementById("root");
if (root)
  createRoot(root).render(
  <Boundary place="">
    <App />
  </Boundary>,
);
