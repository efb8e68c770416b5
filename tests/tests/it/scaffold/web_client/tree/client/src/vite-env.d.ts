interface ImportMetaEnv {
  readonly VITE_BOT_URL?: string;
  readonly VITE_TRANSPORTS?: string;
}

interface ImportMeta {
  readonly env: ImportMetaEnv;
}
