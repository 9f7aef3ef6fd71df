// Numbers as people read them.

const raised: Record<string, string> = {
  "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹",
};

export function power(exponent: number): string {
  return "10" + [...String(exponent)].map((c) => raised[c] ?? c).join("");
}

// 1.6×10⁻¹⁴, 0.0368, 12.4, 3,310
export function nice(value: number | null | undefined, digits = 3): string {
  if (value === null || value === undefined) return "not a number";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e-3 && size < 1e6) {
    const text = size >= 1000 ? Math.round(value).toLocaleString("en")
                              : String(Number(value.toPrecision(digits)));
    return text.replace("-", "−");
  }
  const [mantissa, exponent] = value.toExponential(digits - 1).split("e") as [string, string];
  return `${String(Number(mantissa)).replace("-", "−")}×${power(Number(exponent))}`;
}

export function count(n: number, one: string, many = one + "s"): string {
  return `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
}

export function duration(ms: number): string {
  return ms < 1 ? "under 1 ms" : ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}

// A tick of a logarithmic axis.
export function decade(value: number): string {
  const exponent = Math.round(Math.log10(value));
  return Math.abs(Math.log10(value) - exponent) < 1e-6 ? power(exponent) : nice(value, 2);
}
