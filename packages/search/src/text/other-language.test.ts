import { describe, expect, test } from "vitest";
import { isOtherLanguage } from "./other-language.ts";

describe("a query in another language than English", () => {
  test.each([
    "wie starte ich einen server",
    "Server löschen mit der Kommandozeile",
    "comment supprimer un serveur dans le groupe",
    "cómo elimino un servidor",
    "come posso fermare il server",
    "hoe stop ik een server",
    "как остановить сервер",
    "サーバーを停止する",
    "如何停止服务器",
    "서버 중지",
  ])("is recognized: %s", (query) => {
    expect(isOtherLanguage(query)).toBe(true);
  });

  test.each([
    "how do I stop a server",
    "thv run",
    "comment a line in the config",
    "server der Stadt",
    "es module",
    "el capitan",
    "café",
    "en dash in a name",
    "run a server as one of my users, or as root",
    "do I need it on my Mac",
    "ECONNREFUSED 127.0.0.1:8080",
    "",
  ])("is not what %j is", (query) => {
    expect(isOtherLanguage(query)).toBe(false);
  });
});
