// SPDX-License-Identifier: MIT
// Elements in one call.

export type Child = Node | string | number | null | undefined | false;
type Attributes = Record<string, unknown>;

/** h('button', { class: 'x', onclick: f, 'aria-label': 'y' }, 'text'): members that begin with "on" are listeners. */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value as EventListener);
    else if (name === 'class') element.className = String(value);
    else if (name in element && typeof value !== 'string') (element as unknown as Attributes)[name] = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  append(element, children);
  return element;
}

export function append(element: Element, children: Child[]): void {
  for (const child of children)
    if (child !== null && child !== undefined && child !== false)
      element.append(child instanceof Node ? child : String(child));
}

export function replace(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/** A button that copies a text, and says so. */
export function copyButton(label: string, text: () => string): HTMLButtonElement {
  const button = h('button', { type: 'button', class: 'copy', title: text() }, label);
  button.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text());
      button.textContent = 'copied';
    } catch {  // pages from disk may not write to the clipboard in every browser
      window.prompt('Copy this:', text());
    }
    setTimeout(() => { button.textContent = label; }, 1200);
  });
  return button;
}
