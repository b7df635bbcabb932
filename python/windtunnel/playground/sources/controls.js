// The form: what of a scenario can be chosen. It edits the resolved scenario and hands it over whole.
"use strict";

tunnel.controls = (() => {
  const { number, choice, parameter, button } = tunnel.knobs;
  const PACKET_BITS = 12000;
  let catalogue = null;
  let give = () => {};
  const open = new Set();

  const protocol = (algorithm) => catalogue.algorithms.find((one) => one.name === algorithm.split(":")[0]);
  const edited = (scenario, edit) => () => {
    const copy = structuredClone(scenario);
    edit(copy);
    give(copy);
  };
  const edits = (scenario, edit) => (value) => edited(scenario, (copy) => edit(copy, value))();

  const details = (key, title, ...inside) => {
    const box = windtunnel.element("details", {}, windtunnel.element("summary", {}, title), ...inside);
    box.open = open.has(key);
    box.addEventListener("toggle", () => (box.open ? open.add(key) : open.delete(key)));
    return box;
  };

  const longest = (scenario) => Math.max(...scenario.flows.map((flow) => flow.rtt_s || 0), 0);
  const bdp = (scenario) => (scenario.bottleneck.rate_bps * longest(scenario)) / PACKET_BITS;

  // The queue's size in packets, whichever unit it is given in.
  const queuePackets = ({ queue_packets, queue_bytes, queue_s, rate_bps }) =>
    queue_packets ?? ((queue_bytes ?? null) !== null ? queue_bytes / 1500 : (queue_s * rate_bps) / PACKET_BITS);

  const setQueue = (copy, packets) => Object.assign(copy.bottleneck, { queue_packets: Math.max(1, Math.round(packets)), queue_bytes: null, queue_s: null });

  const discipline = (scenario) => {
    const link = scenario.bottleneck;
    const chosen = link.discipline || "drop-tail";
    const known = catalogue.disciplines.find((one) => one.name === chosen);
    const rows = [
      choice({
        label: "Queue discipline",
        value: chosen,
        hint: known ? known.summary : "What finds the queue full is dropped.",
        choices: [["drop-tail"], ...catalogue.disciplines.filter((one) => one.name !== "ack-filter").map((one) => [one.name])],
        changed: edits(scenario, (copy, name) => {
          copy.bottleneck.discipline = name;
          copy.bottleneck.discipline_parameters = {};
          if (name !== "drop-tail") for (const key of ["mark_packets", "mark_bytes", "mark_s"]) delete copy.bottleneck[key];
        }),
      }),
    ];
    if (known && known.parameters.length) {
      const values = link.discipline_parameters || {};
      const set = (name) => edits(scenario, (copy, value) => { copy.bottleneck.discipline_parameters = { ...copy.bottleneck.discipline_parameters, [name]: value }; });
      const knob = (one) => parameter(one, values[one.name] ?? one.default ?? one.min, set(one.name));
      rows.push(details("discipline", `Parameters of ${chosen}`, ...known.parameters.map(knob)));
    }
    return rows;
  };

  const path = (scenario) => {
    const link = scenario.bottleneck;
    const rtt_s = longest(scenario);
    const size = bdp(scenario);
    const packets = queuePackets(link);
    const wait_ms = (packets * PACKET_BITS * 1e3) / link.rate_bps;
    const sized = (share) => button(`${share} BDP`, edited(scenario, (copy) => setQueue(copy, { "¼": 0.25, "½": 0.5 }[share] * size || Number(share) * size)), { "aria-label": `${share} BDP of queue` });
    const rows = [
      number({ label: "Rate", unit: "Mbit/s", min: 0.1, max: 10000, value: link.rate_bps / 1e6, hint: link.rate_steps ? "At the start; it changes later." : "", changed: edits(scenario, (copy, value) => { copy.bottleneck.rate_bps = value * 1e6; }) }),
      number({ label: "Round trip without queues", unit: "ms", min: 0.05, max: 2000, value: rtt_s * 1e3, hint: `One BDP is ${windtunnel.number(size, 3)} packets.`, changed: edits(scenario, (copy, value) => { for (const flow of copy.flows) flow.rtt_s = value / 1e3; }) }),
      number({ label: "Queue", unit: "packets", min: 1, max: 100000, whole: true, value: packets, hint: `${windtunnel.number((packets / size) * 100, 3)} % of the BDP; full, it takes ${windtunnel.number(wait_ms, 3)} ms.${link.queue_steps ? " At the start; it changes later." : ""}`, changed: edits(scenario, setQueue) }),
      windtunnel.element("p", { class: "quick" }, ...["¼", "½", "1", "2", "10"].map(sized)),
      ...discipline(scenario),
      number({ label: "Random loss", unit: "of packets", min: 0, max: 0.2, floor: 1e-6, value: link.loss_probability, changed: edits(scenario, (copy, value) => { copy.bottleneck.loss_probability = value; }) }),
    ];
    if ((link.discipline || "drop-tail") === "drop-tail") rows.push(marks(scenario));
    return rows;
  };

  const marks = (scenario) => {
    const at = scenario.bottleneck.mark_packets ?? 0;
    return number({
      label: "Mark from", unit: "packets", min: 0, max: 100000, floor: 1, whole: true, value: at, hint: at ? "Packets of flows with ECN are marked from this queue on." : "0: no marks.",
      changed: edits(scenario, (copy, value) => {
        if (value) copy.bottleneck.mark_packets = value;
        else delete copy.bottleneck.mark_packets;
      }),
    });
  };

  const whole = (scenario) => [
    number({ label: "Length of the run", unit: "s", min: 0.1, max: 1000, value: scenario.duration_s, changed: edits(scenario, (copy, value) => { copy.duration_s = value; copy.sample_s = tunnel.sampling(value); }) }),
    number({ label: "Seed", unit: "", min: 0, max: 2 ** 31, whole: true, floor: 1, value: scenario.seed, hint: "Of every random draw.", changed: edits(scenario, (copy, value) => { copy.seed = value; }) }),
  ];

  // An application on several connections is resolved into that many flows; the form has one entry for all of them.
  const entries = (scenario) => {
    const found = [];
    scenario.flows.forEach((one, order) => {
      const last = found.at(-1);
      if (last && one.application && scenario.flows[last.first].application === one.application) last.size += 1;
      else found.push({ first: order, size: 1 });
    });
    return found;
  };

  // Edits the flow of an entry, as it was before it was resolved.
  const editsFlow = (scenario, { first, size }, edit) =>
    edits(scenario, (copy, value) => {
      const [one] = copy.flows.slice(first, first + size);
      if (size > 1) Object.assign(one, { application: undefined, parameters: { ...one.parameters, streams: size } });
      copy.flows.splice(first, size, one);
      edit(one, value);
    });

  const variants = (scenario, entry) => {
    const flow = scenario.flows[entry.first];
    const known = protocol(flow.algorithm);
    const variant = flow.algorithm.split(":")[1] || known.profiles[flow.profile] || known.variants[0].name;
    const rows = [];
    if (known.variants.length > 1) {
      rows.push(choice({
        label: "Variant", value: variant, choices: known.variants.map((one) => [one.name]), hint: known.variants.find((one) => one.name === variant)?.summary,
        changed: editsFlow(scenario, entry, (one, name) => Object.assign(one, { algorithm: `${known.name}:${name}`, parameters: {} })),
      }));
    }
    const declared = known.parameters.filter((one) => !one.defaults || variant in one.defaults);
    for (const one of declared) {
      const usual = one.defaults?.[variant] ?? one.default;
      const value = one.name === "streams" ? entry.size : (flow.parameters[one.name] ?? usual);
      rows.push(parameter(one, value, editsFlow(scenario, entry, (mine, now) => {
        if (now === usual) delete mine.parameters[one.name];
        else mine.parameters[one.name] = now;
      })));
    }
    const summary = windtunnel.element("p", { class: "hint" }, known.summary);
    return rows.length ? details(`law-${entry.first}`, `Parameters of ${known.name}`, summary, ...rows) : summary;
  };

  const flow = (scenario, styles) => (entry) => {
    const one = scenario.flows[entry.first];
    const numbers = entry.size > 1 ? `Flows ${entry.first + 1} to ${entry.first + entry.size}` : `Flow ${entry.first + 1}`;
    const edit = (change) => editsFlow(scenario, entry, change);
    const pick = choice({
      label: numbers, value: protocol(one.algorithm).name, choices: catalogue.algorithms.map((law) => [law.name, law.name, law.family]),
      changed: edit((mine, name) => Object.assign(mine, { algorithm: name, parameters: {} })),
    });
    const dot = windtunnel.element("span", { class: "swatch", "aria-hidden": "true" });
    dot.style.setProperty("--light", styles[entry.first]?.colour[0] || "");
    dot.style.setProperty("--dark", styles[entry.first]?.colour[1] || "");
    pick.querySelector("label").prepend(dot);
    const row = windtunnel.element("li", { class: "flow" }, pick,
      number({ label: "Starts at", unit: "s", min: 0, max: scenario.duration_s, value: one.start_s, changed: edit((mine, value) => { mine.start_s = value; }) }),
      number({ label: "Round trip", unit: "ms", min: 0.05, max: 2000, value: (one.rtt_s || 0) * 1e3, changed: edit((mine, value) => { mine.rtt_s = value / 1e3; }) }),
      variants(scenario, entry));
    if (scenario.flows.length > entry.size) {
      row.append(button("Remove", edited(scenario, (copy) => copy.flows.splice(entry.first, entry.size)), { class: "plain", "aria-label": `Remove ${numbers.toLowerCase()}` }));
    }
    return row;
  };

  const SHOWN = 8;

  // Draws the form anew; the control that had the focus keeps it.
  const show = (scenario, styles) => {
    const form = document.getElementById("controls");
    const before = [...form.querySelectorAll("input, select, button, summary")];
    const focus = before.indexOf(document.activeElement);
    // What is being typed into a box is not yet part of the scenario.
    const typed = document.activeElement.matches("#controls input[type=number]") && document.activeElement.value !== document.activeElement.dataset.given ? document.activeElement.value : null;
    // The browser may tell of a blur as the box is taken away; that is no change, least of all of the scenario before this one.
    if (typed !== null) document.activeElement.dataset.given = typed;
    const count = before.length;
    document.getElementById("path").replaceChildren(...path(scenario));
    document.getElementById("run-of").replaceChildren(...whole(scenario));
    const all = entries(scenario);
    const flows = all.slice(0, SHOWN).map(flow(scenario, styles));
    if (all.length > SHOWN) flows.push(windtunnel.element("li", { class: "hint" }, `and ${all.length - SHOWN} more flows`));
    document.getElementById("flows").replaceChildren(...flows);
    const now = [...form.querySelectorAll("input, select, button, summary")];
    const next = focus < 0 ? null : now[Math.min(focus, now.length - 1)];
    next?.focus({ preventScroll: true });
    if (typed !== null && now.length === count) next.value = typed;
    // A box in which nothing was typed yet is selected whole, as when it got the focus: what is typed next takes its place.
    else if (next?.matches("input[type=number]")) next.select();
  };

  const start = (data, changed) => {
    catalogue = data;
    give = changed;
  };

  return { start, show, queuePackets };
})();
