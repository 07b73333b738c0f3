// SPDX-License-Identifier: GPL-3.0-or-later

// headlight: the window.

#include <QApplication>
#include <QCommandLineParser>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QScreen>
#include <QTemporaryDir>

#include <cstdio>

#include "app/gui/StartState.h"
#include "app/gui/StartupSequence.h"
#include "core/base/Heap.h"
#include "core/base/Processor.h"
#include "core/base/Streams.h"
#include "core/models/Registry.h"
#include "ui/base/Icons.h"
#include "ui/base/MessageLog.h"
#include "ui/base/Resources.h"
#include "ui/base/Theme.h"
#include "ui/document/SessionKeeper.h"
#include "ui/window/HelpBrowser.h"
#include "ui/window/MainWindow.h"

namespace headlight {
namespace {

constexpr qint64 kMaxStateBytes = 16 << 20;

struct Options {
  StartState state;
  QStringList files;
  ScreenshotRequest screenshot;
  QSize size;
  bool session = true;
  bool printShortcuts = false;
  int threads = 0;
};

int refuse(const QString& text) {
  sayOnStandardError(text);
  std::fputs("Try headlight --help.\n", stderr);
  return kUsageExit;
}

void declare(QCommandLineParser& parser) {
  parser.setApplicationDescription(QStringLiteral(
      "See where every attention head of a vision transformer looks, decide where it "
      "may look, retrain."));
  parser.addHelpOption();
  parser.addVersionOption();
  parser.addPositionalArgument(QStringLiteral("files"),
                               QStringLiteral("Pictures, folders, checkpoints, configs, masks, "
                                              "sessions."),
                               QStringLiteral("[files…]"));
  parser.addOptions({
      {"model", "A published name, a config or a checkpoint.", "NAME|FILE"},
      {"weights", "A checkpoint (.safetensors, .pth).", "FILE"},
      {"image", "A picture, or sample:NAME.", "FILE"},
      {"masks", "A scheme's name (none, sch1, sch2, sch3, mixed36, hmait) or file.", "NAME|FILE"},
      {"theme", "light, dark or system.", "NAME"},
      {"workspace", "look, mask, train or compare.", "NAME"},
      {"tab", "canvas, heads, rollout or compare.", "NAME"},
      {"layer", "The layer to look at, from 0.", "N"},
      {"head", "The head to look at, from 0; -1 is the mean of all.", "N"},
      {"query", "The token to look from; prefix tokens come first.", "N"},
      {"state", "A JSON file with the state to start in (see the help, Command line).", "FILE"},
      {"screenshot", "Save a picture of the window when it is ready, and exit.", "OUT.png"},
      {"size", "Size of the window.", "WIDTHxHEIGHT"},
      {"scale", "Device pixels per pixel, for screenshots of high resolution.", "FACTOR"},
      {"timeout", "Seconds to wait for a screenshot (300).", "SECONDS"},
      {"threads", "CPU threads; 0 means as many as cores.", "N"},
      {"no-session", "Neither restore nor save the session."},
      {"print-shortcuts", "Print the help page of keyboard shortcuts, and exit."},
  });
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
  if (const QString error = readState(parser, options.state); !error.isEmpty()) return error;
  options.files = parser.positionalArguments();
  options.screenshot.path = parser.value(QStringLiteral("screenshot"));
  options.session =
      !parser.isSet(QStringLiteral("no-session")) && options.screenshot.path.isEmpty();
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

/// What is to be opened and is not there; empty where all of it is.
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

/// Before QApplication, which aborts where there is no display: the scale, and a platform that
/// needs none for what shows no window. False where a window is wanted and there is no display.
bool prepareEnvironment(int argc, char** argv) {
  bool windowless = false;
  for (int i = 1; i < argc; ++i) {
    const QByteArray argument(argv[i]);
    for (const char* option :
         {"--screenshot", "--print-shortcuts", "--help", "--version", "-h", "-v"})
      if (argument.startsWith(option)) windowless = true;
    if (argument == "--scale" && i + 1 < argc) qputenv("QT_SCALE_FACTOR", argv[i + 1]);
    if (argument.startsWith("--scale=")) qputenv("QT_SCALE_FACTOR", argument.mid(8));
  }
  const bool display =
      qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
  if (display || qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return true;
  if (windowless) qputenv("QT_QPA_PLATFORM", "offscreen");
  return windowless;
}

/// Where its usual size leaves no room for the frame that a window manager puts around it.
bool fillsScreen(const QWidget& window) {
  constexpr int kFrame = 48;
  const QSize room = window.screen()->availableSize();
  return window.width() > room.width() - 2 || window.height() + kFrame > room.height();
}

int run(QApplication& application, Options options) {
  initialiseHeadlightResources();
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
  else if (options.screenshot.path.isEmpty() && fillsScreen(window))
    window.setWindowState(Qt::WindowMaximized);  // a session of before has its own
  window.show();
  window.start();
  chooseTheme();  // what is asked for stands over the session of before
  if (options.size.isValid()) window.resize(options.size);
  StartupSequence director(&window, options.state, options.files, options.screenshot);
  QObject::connect(&director, &StartupSequence::done, &application, &QApplication::exit,
                   Qt::QueuedConnection);
  director.begin();
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
        "headlight: there is no display here (DISPLAY and WAYLAND_DISPLAY are not set). Use "
        "headlight-cli, or headlight --screenshot OUT.png.\n",
        stderr);
    return kSystemExit;
  }
  QApplication application(argc, argv);
  QApplication::setApplicationName(QStringLiteral("headlight"));
  QApplication::setApplicationDisplayName(QStringLiteral("Headlight"));
  QApplication::setApplicationVersion(QStringLiteral(HEADLIGHT_VERSION));
  QGuiApplication::setDesktopFileName(QStringLiteral("headlight"));
  QCommandLineParser parser;
  declare(parser);
  parser.process(application);
  Options options;
  if (const QString error = readOptions(parser, options); !error.isEmpty()) return refuse(error);
  if (const QString missing = missingInput(options); !missing.isEmpty()) {
    sayOnStandardError(missing + QStringLiteral(": is not there; check the name, or whether its "
                                                "disk is connected"));
    return kInputExit;
  }
  return run(application, options);
}
