// Starts the language server of Tacita for .vada files and stops it with the editor.
const { workspace } = require("vscode");
const { LanguageClient, TransportKind } = require("vscode-languageclient/node");

let client;

function activate() {
  const command = workspace.getConfiguration("vada").get("command", "tacita");
  const server = { command, args: ["rules", "serve"], transport: TransportKind.stdio };
  client = new LanguageClient("vada", "Vada rules", server, {
    documentSelector: [{ language: "vada" }],
  });
  return client.start();
}

function deactivate() {
  return client ? client.stop() : undefined;
}

module.exports = { activate, deactivate };
