// SPDX-License-Identifier: MIT
// Rules of the rule book, shown in the page: a button with a rule's id opens it.

import { h, replace } from './dom';

interface Rule { title: string; page: string; parts: [label: string, text: string][]; }
let book: Record<string, Rule> = {};
const dialog = h('dialog', { 'aria-labelledby': 'rule-title' });

export function setRules(rules: Record<string, Rule> | null): void {
  book = rules ?? {};
  document.body.append(dialog);
  dialog.addEventListener('click', (e) => { if (e.target === dialog) dialog.close(); });
}

/** Markdown as far as rules have it: code, and links without their addresses. */
function prose(text: string): HTMLElement[] {
  return text.split(/\n\s*\n/).map((paragraph) => {
    const p = h('p', {});
    for (const part of paragraph.replace(/\[([^\]]+)\]\([^)]*\)/g, '$1').split(/(`[^`]+`)/))
      p.append(part.startsWith('`') ? h('code', {}, part.slice(1, -1)) : part.replaceAll('**', ''));
    return p;
  });
}

export function ruleLink(id: string): HTMLElement {
  const rule = book[id];
  if (!rule) return h('span', { class: 'rule' }, id);
  return h('button', { type: 'button', class: 'rule', title: rule.title, onclick: () => {
    replace(dialog, h('h2', { id: 'rule-title' }, `${id}: ${rule.title}`), h('p', { class: 'hint' }, rule.page),
      ...rule.parts.flatMap(([label, text]) => [label ? h('h3', {}, label) : null, ...prose(text)]),
      h('button', { type: 'button', onclick: () => dialog.close() }, 'Close'));
    dialog.showModal();
  } }, id);
}
