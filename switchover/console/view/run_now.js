// SPDX-License-Identifier: Apache-2.0
// A run under way, at the head of the first page: the clock is the biggest thing on it.
import { html } from "htm/preact";
import { useTick } from "../state/cell.js";
import { address } from "../state/route.js";
import { t, t_or, titled } from "../i18n/catalogue.js";
import { Shape, tone_of } from "./mark.js";
import { RunClock } from "./run_clock.js";
import { who_started } from "./runs.js";

/** @import { Run } from "../types.js" */
/** @import { Headline } from "../state/headline.js" */

/** @param {{run: Run, headline: Headline}} props */
export function RunNow({ run, headline }) {
    useTick(100);
    const steps = run.steps ?? [];
    return html`<section class=${`headline run-now tone-${headline.tone}`} data-test="headline" data-tone=${headline.tone} data-key=${headline.key.slice("headline.".length)}>
        <${Shape} tone=${headline.tone} large=${true} />
        <div class="headline-words">
            <h1 aria-live="polite">${titled(run.title, run.scenario)}</h1>
            <p>${t(`${headline.key}.more`, { by: who_started(run), state: t_or(`run.${run.state.toLowerCase()}`, run.state) })}</p>
            <ol class="ribbon">${steps.map((step) => html`<li key=${step.id} class=${`tone-${tone_of(step.state)}`}>
                <${Shape} tone=${tone_of(step.state)} /><span>${titled(step.title, step.id)}</span></li>`)}</ol>
            <a class="button" href=${address("runs", run.id)} data-test="open-run">${t("run.open")}</a>
        </div>
        <${RunClock} run=${run} />
    </section>`;
}
