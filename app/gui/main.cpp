// SPDX-License-Identifier: GPL-3.0-or-later

// headlight: the window.

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QScreen>
#include <QTemporaryDir>
#include <QTranslator>

#include <cstdio>
#include <optional>

#include "app/gui/OpenWindow.h"
#include "app/gui/StartState.h"
#include "app/gui/StartupSequence.h"
#include "app/gui/WindowManual.h"
#include "core/base/Heap.h"
#include "core/base/Processor.h"
#include "core/base/Streams.h"
#include "core/base/Translation.h"
#include "core/base/Version.h"
#include "core/models/Registry.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLog.h"
#include "ui/base/Resources.h"
#include "ui/base/Theme.h"
#include "ui/document/SessionKeeper.h"
#include "ui/window/HelpBrowser.h"
#include "ui/window/MainWindow.h"
#include "ui/workspace/Arranging.h"

namespace headlight {
namespace {

constexpr qint64 kMaxStateBytes = 16 << 20;

struct Options {
  StartState state;
  QStringList files;
  ScreenshotRequest screenshot;
  QSize size;
  bool session = true;
  bool reuse = false;
  bool printShortcuts = false;
  int threads = 0;
};

int refuse(const QString& text) {
  sayOnStandardError(text);
  std::fputs("Try headlight --help.\n", stderr);
  return kUsageExit;
}

/// Without those for help and version, which Qt adds.
QList<QCommandLineOption> windowOptions() {
  return {
      {"model", QObject::tr("A published name, a config or a checkpoint."), "NAME|FILE"},
      {"weights", QObject::tr("A checkpoint (.safetensors, .pth)."), "FILE"},
      {"image", QObject::tr("An image, or sample:NAME."), "FILE"},
      {"masks", QObject::tr("A scheme's name (none, sch1, sch2, sch3, mixed36, hmait) or file."),
       "NAME|FILE"},
      {"theme", QObject::tr("light, dark or system."), "NAME"},
      {"workspace", QObject::tr("look, mask, train or compare."), "NAME"},
      {"tab", QObject::tr("canvas, heads, rollout, compare or explain."), "NAME"},
      {"layer", QObject::tr("The layer to show, counted from 0."), "N"},
      {"head", QObject::tr("The head to show, counted from 0; -1 is the mean of all heads."), "N"},
      {"query", QObject::tr("The query token; prefix tokens come first."), "N"},
      {"state", QObject::tr("JSON file with the starting state (see the help, Command line)."),
       "FILE"},
      {"tour", QObject::tr("Begin with the guided tour of the window.")},
      {"screenshot", QObject::tr("Save a screenshot of the window when it is ready, and exit."),
       "OUT.png"},
      {"size", QObject::tr("Size of the window."), "WIDTHxHEIGHT"},
      {"scale", QObject::tr("Device pixel ratio, for high-resolution screenshots."), "FACTOR"},
      {"timeout", QObject::tr("Seconds to wait for a screenshot (default 300)."), "SECONDS"},
      {"threads", QObject::tr("CPU threads; 0: as many as cores."), "N"},
      {"reuse", QObject::tr("Open the files in the window that is already open, if there is one.")},
      {"no-session", QObject::tr("Do not restore or save the session.")},
      {"print-shortcuts", QObject::tr("Print the help page of keyboard shortcuts, and exit.")},
      {"print-man", QObject::tr("Print the manual page for man, and exit.")},
      {"print-completions",
       QObject::tr("Print completions of these options for a shell, and exit. [one of: bash, zsh, "
                   "fish]"),
       "SHELL"},
  };
}

void declare(QCommandLineParser& parser) {
  parser.setApplicationDescription(
      QObject::tr("Inspect, mask and retrain the attention of vision transformers."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(
      QStringLiteral("files"),
      QObject::tr("Images, folders, checkpoints, configs, masks, sessions."),
      QStringLiteral("[files…]"));
  parser.addOptions(windowOptions());
}

/// Answers what needs no window: --version, --print-man, --print-completions. The exit code, if one
/// of them was given.
std::optional<int> answer(const QCommandLineParser& parser) {
  const QString shell = parser.value(QStringLiteral("print-completions"));
  QString text;
  if (parser.isSet(QStringLiteral("version")))
    text = versionText();
  else if (parser.isSet(QStringLiteral("print-man")))
    text = windowManualPage(parser, windowOptions());
  else if (parser.isSet(QStringLiteral("print-completions")))
    text = windowCompletion(parser, windowOptions(), shell);
  else
    return std::nullopt;
  if (text.isEmpty())
    return refuse(QStringLiteral("--print-completions must be bash, zsh or fish"));
  std::fputs(qUtf8Printable(text), stdout);
  return 0;
}

/// An empty text is success.
QString readState(const QCommandLineParser& parser, StartState& state) {
  if (parser.isSet(QStringLiteral("state"))) {
    const QString path = parser.value(QStringLiteral("state"));
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly)) return path + QStringLiteral(": cannot be read");
    if (file.size() > kMaxStateBytes) return path + QStringLiteral(": is larger than 16 MB");
    auto read = startStateFromText(file.readAll(), path);
    if (!read) return QString::fromStdString(read.error().text());
    state = std::move(*read);
  }
  const std::pair<const char*, QString*> texts[] = {
      {"model", &state.model},        {"weights", &state.weights}, {"image", &state.image},
      {"masks", &state.masks},        {"theme", &state.theme},     {"tab", &state.tab},
      {"workspace", &state.workspace}};
  for (const auto& [name, target] : texts)
    if (parser.isSet(QLatin1String(name))) *target = parser.value(QLatin1String(name));
  if (parser.isSet(QStringLiteral("tour"))) state.actions << QStringLiteral("help.tour");
  for (const char* name : {"layer", "head", "query"}) {
    if (!parser.isSet(QLatin1String(name))) continue;
    bool ok = false;
    const int number = parser.value(QLatin1String(name)).toInt(&ok);
    if (!ok) return QStringLiteral("--%1 needs a whole number").arg(QLatin1String(name));
    state.view[name] = number;
  }
  if (!state.theme.isEmpty() && !themeFromName(state.theme))
    return QStringLiteral("--theme must be light, dark or system");
  return {};
}

/// An empty text is success.
QString readOptions(const QCommandLineParser& parser, Options& options) {
  if (QString error = readState(parser, options.state); !error.isEmpty()) return error;
  options.files = parser.positionalArguments();
  options.screenshot.path = parser.value(QStringLiteral("screenshot"));
  options.session =
      !parser.isSet(QStringLiteral("no-session")) && options.screenshot.path.isEmpty();
  options.reuse = parser.isSet(QStringLiteral("reuse")) && options.screenshot.path.isEmpty();
  options.printShortcuts = parser.isSet(QStringLiteral("print-shortcuts"));
  if (parser.isSet(QStringLiteral("size"))) {
    const QStringList sides = parser.value(QStringLiteral("size")).split(QLatin1Char('x'));
    options.size = QSize(sides.value(0).toInt(), sides.value(1).toInt());
    if (sides.size() != 2 || options.size.width() < 200 || options.size.height() < 200 ||
        options.size.width() > 16384 || options.size.height() > 16384)
      return QStringLiteral("--size must be WIDTHxHEIGHT, such as 1280x800");
  }
  for (const auto& [name, target] : {std::pair{"timeout", &options.screenshot.timeoutSeconds},
                                     std::pair{"threads", &options.threads}}) {
    if (!parser.isSet(QLatin1String(name))) continue;
    bool ok = false;
    *target = parser.value(QLatin1String(name)).toInt(&ok);
    if (!ok || *target < 0)
      return QStringLiteral("--%1 needs a whole number, at least 0").arg(QLatin1String(name));
  }
  return {};
}

/// The first path on the command line that does not exist; empty where all exist.
QString missingInput(const Options& options) {
  const StartState& state = options.state;
  QStringList paths = options.files + state.gallery + QStringList{state.weights};
  if (!state.image.startsWith(QStringLiteral("sample:")) && !state.image.startsWith(':'))
    paths << state.image;
  if (!findPublishedModel(state.model.toStdString())) paths << state.model;
  for (const QString& path : paths)
    if (!path.isEmpty() && !QFileInfo::exists(path)) return path;
  return {};
}

/// Before QApplication, which aborts where there is no display or one that does not answer: the
/// scale, and a platform that needs none for what shows no window. False where a window is wanted
/// and there is no display.
bool prepareEnvironment(int argc, char** argv) {
  bool onlyText = false, screenshot = false;
  for (int i = 1; i < argc; ++i) {
    const QByteArray argument(argv[i]);
    for (const char* option : {"--print-shortcuts", "--print-man", "--print-completions", "--help",
                               "--version", "-h", "-v"})
      if (argument.startsWith(option)) onlyText = true;
    if (argument.startsWith("--screenshot")) screenshot = true;
    if (argument == "--scale" && i + 1 < argc) qputenv("QT_SCALE_FACTOR", argv[i + 1]);
    if (argument.startsWith("--scale=")) qputenv("QT_SCALE_FACTOR", argument.mid(8));
  }
  const bool display =
      qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
  if (onlyText || (screenshot && !display)) qputenv("QT_QPA_PLATFORM", "offscreen");
  return display || onlyText || screenshot;
}

/// Whether a window that is open took the files, so that this program need not show one.
bool isOpenedElsewhere(const Options& options) {
  QStringList files;
  for (const QString& file : options.files)
    files << QFileInfo(file).absoluteFilePath();
  return options.reuse && handToOpenWindow(openWindowAddress(), files);
}

/// False while a dialog asks for something: the files would lie behind it.
bool takeFiles(MainWindow& window, const QStringList& files) {
  if (QApplication::activeModalWidget()) return false;
  window.openPaths(files);
  if (window.isMinimized()) window.showNormal();
  window.raise();
  window.activateWindow();
  return true;
}

int run(QApplication& application, Options options) {
  initializeHeadlightResources();
  // Made before the window and so outliving its training; removed with what lies in it.
  QTemporaryDir runs(QDir::temp().filePath(QStringLiteral("headlight-XXXXXX")));
  if (options.state.training && options.state.training->folder.isEmpty())
    options.state.training->folder = runs.filePath(QStringLiteral("run"));
  MessageLog log(true);
  Theme theme;
  const auto chooseTheme = [&] {
    if (const auto choice = themeFromName(options.state.theme)) theme.setChoice(*choice);
  };
  chooseTheme();

  MainWindowOptions windowOptions;
  windowOptions.sessionPath = options.session ? SessionKeeper::defaultPath() : QString();
  windowOptions.openDemo = !options.state.choosesModel();
  windowOptions.restoreModel = !options.state.choosesModel();
  windowOptions.threads = options.threads;
  MainWindow window(&theme, &log, windowOptions);
  if (options.printShortcuts) {
    std::fputs(qUtf8Printable(shortcutsPage(*window.actions())), stdout);
    return 0;
  }
  if (options.size.isValid())
    window.resize(options.size);
  else if (options.screenshot.path.isEmpty() && startsMaximized(window, windowOptions.sessionPath))
    window.setWindowState(Qt::WindowMaximized);  // a session of before has its own
  window.show();
  window.start();
  chooseTheme();  // what is asked for stands over the session of before
  if (options.size.isValid()) window.resize(options.size);
  StartupSequence director(&window, options.state, options.files, options.screenshot);
  QObject::connect(&director, &StartupSequence::done, &application, &QApplication::exit,
                   Qt::QueuedConnection);
  director.begin();
  OpenWindow meeting([&window](const QStringList& files) { return takeFiles(window, files); });
  if (options.screenshot.path.isEmpty()) meeting.listen(openWindowAddress());
  return QApplication::exec();
}

}  // namespace
}  // namespace headlight

int main(int argc, char** argv) {
  using namespace headlight;
  prepareStreams();
  useFewHeaps();
  prepareProcessor(argv);
  if (!prepareEnvironment(argc, argv)) {
    std::fputs(
        "headlight: no display (DISPLAY and WAYLAND_DISPLAY are not set). Use headlight-cli, or "
        "headlight --screenshot OUT.png.\n",
        stderr);
    return kSystemExit;
  }
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("headlight"));
  QApplication::setApplicationDisplayName(QStringLiteral("Headlight"));
  QApplication::setApplicationVersion(QString::fromLatin1(kVersion));
  loadTranslations(translationFolder());
  QTranslator window;
  if (window.load(QLocale(), QStringLiteral("headlight"), QStringLiteral("_"),
                  QString::fromStdString((translationFolder() / "headlight").string())))
    QApplication::installTranslator(&window);
  QGuiApplication::setDesktopFileName(QStringLiteral("headlight"));
  QCommandLineParser parser;
  declare(parser);
  if (parser.parse(QApplication::arguments()))
    if (const auto code = answer(parser)) return *code;
  parser.process(application);
  Options options;
  if (const QString error = readOptions(parser, options); !error.isEmpty()) return refuse(error);
  if (const QString missing = missingInput(options); !missing.isEmpty()) {
    sayOnStandardError(
        missing +
        QStringLiteral(": does not exist; check the name, or whether its disk is connected"));
    return kInputExit;
  }
  return isOpenedElsewhere(options) ? 0 : run(application, options);
}
