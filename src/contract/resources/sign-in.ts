/** Signing in, and what people sign in with. */
import { z } from 'zod'
import { emailField } from './invitation.ts'

export const signInLinkSchema = z.object({ token: z.string().min(1).max(200) })
export const signInSchema = z.object({ email: z.string().min(1).max(400), password: z.string().min(1).max(1_000) })

const currentPassword = z.string().max(1_000).optional()

/** `password` is a new one, whose rules the service knows. */
export const passwordChangeSchema = z.object({ current_password: currentPassword, password: z.string() })
export const emailChangeSchema = z.object({ email: emailField, current_password: currentPassword })
