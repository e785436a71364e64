/**
 * Characters that nobody sees, or that move what is read: controls, also those of C1, marks that change the direction of text,
 * line separators, tags, halves of pairs. Tabs and line feeds are none, nor are the joiners of emoji and of some scripts.
 */
export const HIDDEN_CHARACTERS = /(?![\t\n\u200c\u200d])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;
