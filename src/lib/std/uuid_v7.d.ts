/** Types of what is used of @std/uuid/v7. */
export function generate(timestamp?: number): string;
export function validate(id: string): boolean;
export function extractTimestamp(id: string): number;
