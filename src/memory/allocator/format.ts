/** Numbers of bytes as PyTorch's error texts give them. */

/** `20.00 MiB`; exactly 1 MiB is `1024.00 KiB`, as in PyTorch. */
export function formatSize(bytes: number): string {
  if (bytes <= 1024) return `${bytes} bytes`;
  if (bytes <= 1024 ** 2) return `${(bytes / 1024).toFixed(2)} KiB`;
  if (bytes <= 1024 ** 3) return `${(bytes / 1024 ** 2).toFixed(2)} MiB`;
  return `${(bytes / 1024 ** 3).toFixed(2)} GiB`;
}
