// SPDX-License-Identifier: GPL-3.0-or-later

// From a mask edit to the pixels of the window: InferenceInputs::pushEdit, the look in the
// background, and the end of the paint event that shows it, for the canvas and for the grid of
// heads. DeiT-T at 224 (or another published name, and size) with random weights. Prints the median
// over edits in every layer. Then from a move of the cursor to another patch to the pixels: how
// long the window is busy.

#include <QApplication>
#include <QElapsedTimer>
#include <QEvent>
#include <QTimer>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <vector>

#include "core/base/Processor.h"
#include "ui/base/MessageLog.h"
#include "ui/base/Resources.h"
#include "ui/base/Theme.h"
#include "ui/canvas/Canvas.h"
#include "ui/heads/HeadsGrid.h"
#include "ui/window/MainWindow.h"

namespace {

using namespace headlight;

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? -1 : values[values.size() / 2];
}

double highest(const std::vector<double>& values) {
  return values.empty() ? -1 : *std::max_element(values.begin(), values.end());
}

/// The time at the end of the first paint event that follows a new look.
class PaintWatch : public QObject {
 public:
  PaintWatch(Document* document, QWidget* widget) : m_widget(widget) {
    widget->installEventFilter(this);
    connect(document, &Document::inferenceChanged, this, [this] { m_looked = true; });
    m_clock.start();
  }
  double milliseconds = -1;  ///< since it was made; negative: not yet

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override {
    if (event->type() != QEvent::Paint || m_inside) return QObject::eventFilter(watched, event);
    m_inside = true;
    QCoreApplication::sendEvent(m_widget, event);  // to its end: painting takes time too
    m_inside = false;
    if (m_looked && milliseconds < 0)
      milliseconds = static_cast<double>(m_clock.nsecsElapsed()) / 1e6;
    return true;
  }

 private:
  QWidget* m_widget;
  QElapsedTimer m_clock;
  bool m_inside = false, m_looked = false;
};

/// Sleeps between events, so that the cores are the look's.
bool waitFor(const std::function<bool()>& reached, int seconds) {
  QElapsedTimer clock;
  clock.start();
  QTimer heartbeat;  // wakes it when nothing else does
  heartbeat.start(100);
  while (!reached()) {
    if (clock.elapsed() > 1000LL * seconds) return false;
    QCoreApplication::processEvents(QEventLoop::WaitForMoreEvents);
  }
  return true;
}

/// Milliseconds from the edit to the end of the paint event that shows its look; negative: none.
double timeEdit(MainWindow& window, QWidget* surface, int layer, const HeadMask& mask) {
  Document* document = window.document();
  const auto edit = makeMaskEdit(document->inputs().masks(), {{layer, 0}}, mask, "benchmark");
  if (!edit || edit->empty()) return -1;
  PaintWatch watch(document, surface);
  document->inputs().pushEdit(*edit);
  waitFor([&] { return watch.milliseconds >= 0; }, 60);
  return watch.milliseconds;
}

bool measure(MainWindow& window, const QString& tab, QWidget* surface) {
  window.showTab(tab);
  waitFor([&] { return window.isIdle(); }, 60);
  const HeadMask hard{MaskKind::Hard, 3}, open{};
  std::vector<double> times;
  const int layers = window.document()->inputs().masks().layers();
  for (int layer = 0; layer < layers; ++layer)
    for (int round = 0; round < 4; ++round) {
      const double took = timeEdit(window, surface, layer, round % 2 == 0 ? hard : open);
      if (took < 0) return false;
      if (round > 0) times.push_back(took);
    }
  std::printf("%-7s  edits %3zu  median %6.1f ms  slowest %6.1f ms\n", qPrintable(tab),
              times.size(), median(times), highest(times));
  return true;
}

/// Milliseconds that the window needs to show what another token looks at.
double timeCursor(MainWindow& window, QWidget* surface, int token) {
  QElapsedTimer clock;
  clock.start();
  ViewOptions view = window.document()->view().options();
  view.query = token;
  window.document()->view().set(view);
  surface->repaint();  // to its end
  return static_cast<double>(clock.nsecsElapsed()) / 1e6;
}

void measureCursor(MainWindow& window, const QString& tab, QWidget* surface) {
  window.showTab(tab);
  waitFor([&] { return window.isIdle(); }, 60);
  const int tokens = window.document()->inputs().model().grid.tokens();
  std::vector<double> times;
  for (int move = 0; move < 60; ++move) {
    times.push_back(timeCursor(window, surface, (move * 997 + 1) % tokens));
    waitFor([&] { return window.isIdle(); }, 60);
  }
  std::printf("%-7s  moves %3zu  median %6.1f ms  slowest %6.1f ms\n", qPrintable(tab),
              times.size(), median(times), highest(times));
}

}  // namespace

int main(int count, char** arguments) {
  prepareProcessor(arguments);
  QApplication application(count, arguments);
  initializeHeadlightResources();
  if (count > 4) {
    std::fprintf(stderr, "usage: bench_window [THREADS] [MODEL] [PIXELS]\n");
    return 2;
  }
  Theme theme;
  MessageLog log(false);
  MainWindowOptions options;
  options.openDemo = false;
  options.threads = count > 1 ? std::atoi(arguments[1]) : 0;
  MainWindow window(&theme, &log, options);
  window.resize(1600, 950);
  window.show();
  window.start();
  QObject::connect(window.modelWorker(), &ModelWorker::computeDescribed, [](const QString& text) {
    std::printf("%s, window %s\n", qPrintable(text), qPrintable(QGuiApplication::platformName()));
  });
  ModelSource source;
  source.model = count > 2 ? arguments[2] : "deit_tiny_patch16_224";
  source.imageHeight = source.imageWidth = count > 3 ? std::atoi(arguments[3]) : 0;
  std::printf("%s, random weights\n", source.model.c_str());
  window.modelWorker()->openModel(source);
  window.imageBridge()->loadImage(QStringLiteral(":/samples/striped-disc.png"));
  if (!waitFor([&] { return window.document()->inference() && window.isIdle(); }, 120)) {
    std::fprintf(stderr, "there is no image\n");
    return 1;
  }
  auto* canvas = window.findChild<Canvas*>("canvas");
  auto* heads = window.findChild<HeadsGrid*>();
  const bool measured = measure(window, QStringLiteral("canvas"), canvas) &&
                        measure(window, QStringLiteral("heads"), heads->area()->viewport());
  if (!measured) std::fprintf(stderr, "an edit was not shown\n");
  measureCursor(window, QStringLiteral("canvas"), canvas);
  measureCursor(window, QStringLiteral("heads"), heads->area()->viewport());
  return measured ? 0 : 1;
}
