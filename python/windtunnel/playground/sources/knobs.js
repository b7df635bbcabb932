// Sliders with a box beside them: both change the same number, the box exactly.
"use strict";

tunnel.knobs = (() => {
  const STEPS = 400;
  let made = 0;

  // Between 0 and STEPS; a range over decades is logarithmic, and one that begins at 0 keeps its first place for 0.
  const scale = ({ min, max, floor }) => {
    const low = min > 0 ? min : floor;
    const isLog = low !== undefined && low > 0 && max / low >= 50;
    const first = min > 0 ? 0 : 1;
    const value = (place) => {
      if (!isLog) return min + ((max - min) * place) / STEPS;
      return place < first ? 0 : low * (max / low) ** ((place - first) / (STEPS - first));
    };
    const place = (number) => {
      if (!isLog) return ((number - min) / (max - min)) * STEPS;
      return number < low ? 0 : first + (Math.log(number / low) / Math.log(max / low)) * (STEPS - first);
    };
    return { value, place };
  };

  // Once the browser has moved the focus on: what is changed draws the form anew.
  const later = (changed, value) => setTimeout(() => changed(value), 0);

  // A number within a range. `given`: label, unit, min, max, value, whole, floor, hint, changed(value).
  const number = (given) => {
    made += 1;
    const { value, place } = scale(given);
    const id = `knob-${made}`;
    const tidy = (raw) => {
      const rounded = given.whole ? Math.round(raw) : Number(raw.toPrecision(3));
      return Math.min(Math.max(rounded, given.min), given.max);
    };
    const slider = windtunnel.element("input", { type: "range", min: "0", max: String(STEPS), step: "1", id, "aria-describedby": `${id}-hint` });
    const box = windtunnel.element("input", { type: "number", min: String(given.min), max: String(given.max), step: given.whole ? "1" : "any", "aria-label": `${given.label}, ${given.unit}` });
    const hint = windtunnel.element("small", { id: `${id}-hint` }, given.hint || "");
    const say = (now) => slider.setAttribute("aria-valuetext", `${windtunnel.number(now, 4)} ${given.unit}`);
    const put = (now) => {
      slider.value = String(place(now));
      box.value = box.dataset.given = String(Number(now.toPrecision(6)));
      say(now);
    };
    slider.addEventListener("input", () => {
      const now = tidy(value(Number(slider.value)));
      box.value = String(now);
      say(now);
    });
    slider.addEventListener("change", () => later(given.changed, tidy(value(Number(slider.value)))));
    const typed = () => {
      if (box.value === box.dataset.given) return;
      if (box.value === "" || !box.checkValidity()) {
        box.reportValidity();
        return;
      }
      box.dataset.given = box.value;
      slider.value = String(place(Number(box.value)));
      later(given.changed, Number(box.value));
    };
    // What was typed while another change ran is put back by a script, and then the browser tells of no change.
    box.addEventListener("change", typed);
    box.addEventListener("blur", typed);
    put(given.value);
    const label = windtunnel.element("label", { for: id }, given.label);
    const row = windtunnel.element("div", { class: "knob" }, label, slider, windtunnel.element("span", { class: "box" }, box, windtunnel.element("i", {}, given.unit)), hint);
    return row;
  };

  // One of several words. `given`: label, value, choices [[value, text, group]], hint, changed(value).
  const choice = (given) => {
    made += 1;
    const id = `knob-${made}`;
    const select = windtunnel.element("select", { id });
    const groups = new Map();
    for (const [value, text, group] of given.choices) {
      const option = windtunnel.element("option", { value }, text || value);
      if (!group) {
        select.append(option);
        continue;
      }
      if (!groups.has(group)) {
        groups.set(group, windtunnel.element("optgroup", { label: group }));
        select.append(groups.get(group));
      }
      groups.get(group).append(option);
    }
    select.value = given.value;
    select.addEventListener("change", () => later(given.changed, select.value));
    return windtunnel.element("div", { class: "knob" }, windtunnel.element("label", { for: id }, given.label), select, windtunnel.element("small", {}, given.hint || ""));
  };

  const toggle = (given) => {
    made += 1;
    const box = windtunnel.element("input", { type: "checkbox", id: `knob-${made}` });
    box.checked = given.value;
    box.addEventListener("change", () => later(given.changed, box.checked));
    return windtunnel.element("div", { class: "knob switch" }, box, windtunnel.element("label", { for: box.id }, given.label), windtunnel.element("small", {}, given.hint || ""));
  };

  // What a law or a discipline declares: a switch, a word, or a number within its range.
  const parameter = (declared, value, changed) => {
    const given = { label: declared.name, hint: declared.doc, value, changed };
    if (declared.choices) return choice({ ...given, choices: declared.choices.map((word) => [word, word]) });
    if (declared.unit === "switch") return toggle({ ...given, value: value !== 0, changed: (on) => changed(on ? 1 : 0) });
    const unit = declared.unit === "1" ? "" : declared.unit;
    const isWhole = Number.isInteger(declared.min) && Number.isInteger(declared.default) && declared.max - declared.min >= 7 && /packets|segments|connections|flows/.test(unit);
    return number({ ...given, unit, min: declared.min, max: declared.max, whole: isWhole, floor: declared.min > 0 ? undefined : declared.max / 1e5 });
  };

  const button = (label, pressed, more = {}) => {
    const one = windtunnel.element("button", { type: "button", ...more }, label);
    one.addEventListener("click", pressed);
    return one;
  };

  return { number, choice, toggle, parameter, button };
})();
