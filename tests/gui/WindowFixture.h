// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A window with a small random model and a drawn image, its session in a folder of its own.

#include <QDragEnterEvent>
#include <QDropEvent>
#include <QImage>
#include <QMimeData>
#include <QTemporaryDir>
#include <QTest>
#include <QUrl>

#include <memory>

#include "ui/base/MessageLog.h"
#include "ui/base/Theme.h"
#include "ui/widgets/Dialogs.h"
#include "ui/window/MainWindow.h"

namespace headlight {

/// 32 × 32 pixels, 4 × 4 patches, 3 layers of 2 heads: opens in milliseconds.
inline Experiment smallExperiment(int width = 32) {
  Experiment experiment;
  experiment.name = "small";
  experiment.model.name = "small";
  experiment.model.imageSize = 32;
  experiment.model.patchSize = 8;
  experiment.model.width = width;
  experiment.model.depth = 3;
  experiment.model.heads = 2;
  experiment.model.classes = 9;
  experiment.model.cropFraction = 1;
  experiment.threads = 1;
  return experiment;
}

/// A gradient with a disc: not two pixels in a row alike.
inline QString writeImage(const QString& path, int width = 40, int height = 36, int shade = 0) {
  QImage image(width, height, QImage::Format_RGB888);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      image.setPixel(x, y, qRgb((x * 6 + shade) % 256, (y * 7) % 256, (x * y + shade) % 256));
  image.save(path);
  return path;
}

inline void writeText(const QString& path, const QByteArray& text) {
  QFile file(path);
  QVERIFY(file.open(QIODevice::WriteOnly));
  file.write(text);
}

/// As a person drops files on the middle of `target`.
inline bool dropOn(QWidget* target, const QStringList& paths) {
  QMimeData data;
  QList<QUrl> urls;
  for (const QString& path : paths)
    urls << QUrl::fromLocalFile(path);
  data.setUrls(urls);
  const QPoint middle = target->rect().center();
  QDragEnterEvent enter(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(target, &enter);
  if (!enter.isAccepted()) return false;
  QDropEvent drop(middle, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
  QApplication::sendEvent(target, &drop);
  return drop.isAccepted();
}

/// Theme, log and window in the order in which they must live; begins without any model.
struct TestWindow {
  explicit TestWindow(const QString& sessionPath = {})
      : log(false), window(&theme, &log, optionsFor(sessionPath)) {
    window.resize(1280, 800);
    window.show();
    window.start();
  }
  static MainWindowOptions optionsFor(const QString& sessionPath) {
    MainWindowOptions options;
    options.sessionPath = sessionPath;
    options.openDemo = false;
    options.threads = 1;
    return options;
  }
  MainWindow* operator->() { return &window; }
  Document* document() { return window.document(); }
  /// An empty one where there is none: notices go with what they speak of.
  Notice newestNotice() { return notices() > 0 ? window.noticeBar()->notices().last() : Notice(); }
  int notices() { return static_cast<int>(window.noticeBar()->notices().size()); }

  Theme theme;
  MessageLog log;
  MainWindow window;
};

#define OPEN_SMALL_MODEL(test)                                               \
  do {                                                                       \
    (test)->modelWorker()->createModel(smallExperiment());                   \
    QTRY_VERIFY_WITH_TIMEOUT((test).document()->inputs().hasModel(), 20000); \
  } while (false)

#define OPEN_IMAGE(test, path)                                                                \
  do {                                                                                        \
    const QString toOpen(path); /* once: it may write the image */                            \
    (test)->openPaths({toOpen});                                                              \
    QTRY_COMPARE_WITH_TIMEOUT((test).document()->inputs().imagePath(), toOpen, 20000);        \
    QTRY_VERIFY_WITH_TIMEOUT((test).document()->inference() && !(test).document()->isStale(), \
                             20000);                                                          \
  } while (false)

}  // namespace headlight
