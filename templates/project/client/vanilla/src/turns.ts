import type { Turn, TurnPart } from "./conversation";
import { say } from "./page";

/** Shows the turns of the conversation. Updates only what has changed. */
export function showTurns(list: HTMLElement, turns: Turn[]): void {
  match(list, turns, newTurn, (item, turn, at) => showTurn(item, turn, turns[at - 1]));
}

function newTurn(): HTMLElement {
  const item = document.createElement("li");
  item.append(...["b", "p", "small"].map((tag) => document.createElement(tag)));
  return item;
}

function showTurn(item: Element, turn: Turn, before: Turn | undefined): void {
  const [who, text, note] = Array.from(item.children) as [Element, Element, Element];
  const newConversation = before !== undefined && before.attempt !== turn.attempt;
  const classes = [turn.who, turn.interrupted && "cut", newConversation && "first"].filter(Boolean).join(" ");
  if (item.className !== classes) item.className = classes;
  // The text is not final: screen readers wait.
  item.ariaBusy = String(turn.parts.some((part) => !part.final));
  say(who, turn.who === "user" ? "You" : "Bot");
  match(text, turn.parts, newPart, showPart);
  say(note, turn.interrupted ? "Interrupted" : turn.typed ? "Typed" : "");
}

function newPart(): HTMLElement {
  const item = document.createElement("span");
  item.append(document.createElement("span"), document.createElement("span"));
  return item;
}

function showPart(item: Element, { text, spoken }: TurnPart, at: number): void {
  const [said, unsaid] = Array.from(item.children) as [Element, Element];
  said.className = "spoken";
  unsaid.className = "unspoken";
  say(said, (at > 0 ? " " : "") + text.slice(0, spoken));
  say(unsaid, (at > 0 && spoken === 0 ? " " : "") + text.slice(spoken));
}

/** Gives `list` one child for each of `things`, and shows each thing in its child. */
function match<T>(list: Element, things: T[], make: () => HTMLElement, show: (item: Element, thing: T, at: number) => void): void {
  while (list.children.length > things.length) list.lastElementChild?.remove();
  for (const [at, thing] of things.entries()) {
    const known = list.children[at];
    const item = known ?? make();
    show(item, thing, at);
    if (!known) list.append(item);
  }
}
