// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/gui/WindowManual.h"

#include <QCommandLineParser>

#include "core/base/Version.h"
#include "core/base/manual/ManualPage.h"
#include "core/base/manual/ShellCompletion.h"
#include "core/workbench/loading/TorchRuntime.h"

namespace headlight {
namespace {

ManualOption describe(const QCommandLineOption& option) {
  ManualOption described;
  for (const QString& name : option.names())
    described.names.push_back((name.size() == 1 ? "-" : "--") + name.toStdString());
  described.value = option.valueName().toStdString();
  described.help = option.description().toStdString();
  described.group = "Options";
  return described;
}

/// Of --help, -h and --version Qt keeps the options to itself.
std::vector<ManualOption> optionsOfQt() {
  return {{{"-h", "--help"}, "", "Displays help on commandline options.", "Options"},
          {{"--help-all"}, "", "Displays help, including generic Qt options.", "Options"},
          {{"-v", "--version"}, "", "Displays version information.", "Options"}};
}

CommandManual describe(const QCommandLineParser& parser, const QList<QCommandLineOption>& options) {
  CommandManual manual;
  manual.name = "headlight";
  manual.summary = parser.applicationDescription().toStdString();
  manual.arguments = {
      {"FILES", "[FILES...]",
       QObject::tr("Images, folders, checkpoints, configs, masks, sessions.").toStdString()}};
  manual.options = optionsOfQt();
  for (const QCommandLineOption& option : options)
    manual.options.push_back(describe(option));
  return manual;
}

}  // namespace

QString versionText() {
  std::string text = std::string("headlight ") + kVersion + "\nQt " + qVersion();
  for (const std::string& library : libraryVersions())
    text += "\n" + library;
  return QString::fromStdString(text + "\n");
}

QString windowManualPage(const QCommandLineParser& parser,
                         const QList<QCommandLineOption>& options) {
  return QString::fromStdString(manualPage(describe(parser, options), kVersion, "headlight-cli"));
}

QString windowCompletion(const QCommandLineParser& parser, const QList<QCommandLineOption>& options,
                         const QString& shell) {
  const CommandManual manual = describe(parser, options);
  if (shell == QStringLiteral("bash")) return QString::fromStdString(bashCompletion(manual));
  if (shell == QStringLiteral("zsh")) return QString::fromStdString(zshCompletion(manual));
  if (shell == QStringLiteral("fish")) return QString::fromStdString(fishCompletion(manual));
  return {};
}

}  // namespace headlight
