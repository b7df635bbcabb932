// What a run came to: the moment that is shown, the means of the whole run, and its names.
"use strict";

tunnel.results = (() => {
  const { number } = windtunnel;
  const element = windtunnel.element;
  const byId = (id) => document.getElementById(id);
  const QUIET = "–";
  const word = (value, digits = 3) => (Number.isFinite(value) ? number(value, digits) : QUIET);

  const swatch = (style) => {
    const dot = element("span", { class: "swatch", "aria-hidden": "true" });
    dot.style.setProperty("--light", style.colour[0]);
    dot.style.setProperty("--dark", style.colour[1]);
    return dot;
  };

  // A button per flow: it names the colour, shows the values of the moment, and hides the flow's lines.
  const legend = (series) => {
    const rows = series.styles.map((style, order) => {
      const row = element("button", { type: "button", "aria-pressed": String(!tunnel.charts.isHidden(style.label)), title: "Show or hide its lines" },
        swatch(style), element("b", {}, style.label), element("span", { class: "value", "data-flow": String(order) }));
      row.addEventListener("click", () => row.setAttribute("aria-pressed", String(tunnel.charts.toggle(style.label))));
      return row;
    });
    byId("legend").replaceChildren(...rows);
  };

  // Values at sample `at`.
  const moment = (series, at, link) => {
    for (const cell of byId("legend").querySelectorAll("[data-flow]")) {
      const flow = Number(cell.dataset.flow);
      const [cwnd, rate, rtt] = ["cwnd", "rate", "rtt"].map((name) => series[name][flow].v[at]);
      cell.textContent = Number.isFinite(cwnd) ? `${word(cwnd)} packets, ${word(rate)} Mbit/s, ${word(rtt)} ms` : "not sending";
    }
    const queue = series.queue[0].v[at] || 0;
    const share = Math.min(queue / link.packets, 1);
    byId("fill").style.width = `${share * 100}%`;
    byId("fill").dataset.full = String(share > 0.97);
    const wait_ms = (queue * 12e6) / link.rate_bps;
    const parts = [`${word(queue, 4)} of ${word(link.packets, 5)} packets`, `${word(wait_ms)} ms to wait`, `${series.totals.dropped[at] || 0} dropped so far`];
    if (series.totals.marked.at(-1) > 0) parts.push(`${series.totals.marked[at]} marked`);
    byId("queue-now").textContent = parts.join(" · ");
  };

  const table = (answer, series) => {
    const flows = answer.frames.flows.columns;
    const of = (order) => [
      word(answer.metrics.throughput_bps[order] / 1e6, 4), word(flows.mean_cwnd_packets[order], 4), word(flows.mean_rtt_s[order] * 1e3, 4),
      word(flows.retransmitted_packets[order], 6), word(flows.loss_episodes[order], 5), word(flows.timeouts[order], 5), word(flows.completed_s[order], 4),
    ];
    const heads = ["Flow", "Mbit/s", "Mean window", "Mean round trip, ms", "Sent again", "Loss episodes", "Timeouts", "Done, s"];
    const rows = series.styles.map((style, order) =>
      element("tr", {}, element("th", { scope: "row" }, swatch(style), style.label), ...of(order).map((text) => element("td", { class: "number" }, text))));
    const head = element("tr", {}, ...heads.map((text, at) => element("th", { scope: "col", ...(at ? { class: "number" } : {}) }, text)));
    byId("table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
  };

  const facts = (answer) => {
    const links = answer.frames.links.columns;
    const pairs = [
      ["Link used", `${word(links.utilisation[0] * 100, 4)} %`],
      ["Jain's index", word(answer.metrics.jain, 4)],
      ["Mean queue", `${word(links.mean_queue_packets[0], 4)} packets`],
      ["Dropped, lost at random", `${word(links.dropped_packets[0], 7)}, ${word(links.lost_packets[0], 7)}`],
      ["Simulated", `${answer.data_packets.toLocaleString("en")} packets in ${word(answer.wall_ms, 3)} ms`],
      ["Scenario", answer.digest],
      ["Records", answer.records_digest],
    ];
    byId("facts").replaceChildren(...pairs.map(([name, value]) =>
      element("div", {}, element("dt", {}, name), element("dd", value.length === 64 ? { class: "digest", "data-digest": name.toLowerCase() } : {}, value))));
    byId("notes").replaceChildren(...answer.notes.map((note) => element("li", {}, note)));
    byId("notes").hidden = answer.notes.length === 0;
  };

  return { legend, moment, table, facts };
})();
