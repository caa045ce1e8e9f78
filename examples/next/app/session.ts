import { getIronSession } from 'iron-session';
import { cookies } from 'next/headers';

export async function openSession() {
  return getIronSession<{ customerId?: string }>(await cookies(), {
    cookieName: 'session',
    password: process.env.SESSION_SECRET!,
  });
}
