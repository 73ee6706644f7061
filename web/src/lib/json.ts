export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }
export type Properties = Record<string, Json>
