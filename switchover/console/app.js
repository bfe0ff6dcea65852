// SPDX-License-Identifier: Apache-2.0
// The page's beginning: who is signed in decides what is drawn.
import { html, render } from "htm/preact";
import { me } from "./state/api.js";
import { useCell } from "./state/cell.js";
import { apply_preferences, language, theme, zone } from "./state/preferences.js";
import { find_out_who } from "./state/session.js";
import "./state/live.js";
import { NewPassword, SignIn } from "./view/sign_in.js";
import { Shell } from "./view/shell.js";

function App() {
    const who = useCell(me);
    useCell(language);
    useCell(theme);
    useCell(zone);
    if (who === undefined) return html`<div class="splash" aria-busy="true"></div>`;
    if (who === null) return html`<${SignIn} />`;
    if (who.must_change) return html`<${NewPassword} />`;
    return html`<${Shell} who=${who} />`;
}

apply_preferences();
const place = /** @type {HTMLElement} */ (document.getElementById("app"));
place.replaceChildren();
render(html`<${App} />`, place);
void find_out_who();
