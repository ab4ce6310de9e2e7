/** The text of Markdown, without marks, addresses and images: what the sets compare. */
export function plainText(markdown: string): string {
  return markdown
    .replace(/^---\n[\s\S]*?\n---\n/, '')
    .replace(/!\[(?:\\.|[^\]\\])*\]\([^)\s]*(?: "[^"\n]*")?\)/g, ' ')
    .replace(/\[((?:\\.|[^\]\\])*)\]\([^)\s]*(?: "[^"\n]*")?\)/g, '$1')
    .replace(/^\[\^[^\]]+\]: /gm, '')
    .replace(/\[\^[^\]]+\]/g, ' ')
    .replace(/<(https?:[^>\s]+)>/g, '$1')
    .replace(/<br>/g, '\n')
    .replace(/<\/?(?:sup|sub)>/g, '')
    .replace(/^\s*`{3,}.*$/gm, '')
    .replace(/^\|(?: ?:?-+:? ?\|)+$/gm, '')
    .replace(/(?<!\\)(?:\*\*|~~|[*`])/g, '')
    .replace(/(?<![\\\p{L}\p{N}])_|(?<!\\)_(?![\p{L}\p{N}])/gu, '')
    .replace(/\\([!-/:-@[-`{-~])/g, '$1')
    .replace(/&(amp|lt|gt|nbsp);/g, (_, name: string) => ({ amp: '&', lt: '<', gt: '>' })[name] ?? ' ');
}
