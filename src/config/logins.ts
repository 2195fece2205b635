/** The door of the logins: loaded only where somebody logs in. */
export {
  LOGIN_SERVERS,
  loginInBrowser,
  type LoginScreen,
  type LoginServer,
  loginWithCode,
} from "./auth/login.ts";
export { type AuthDeps, REAL } from "./auth/token.ts";
