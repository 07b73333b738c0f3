// SPDX-License-Identifier: GPL-3.0-or-later

// Plots as files and on the clipboard: by the context menu, by commands, and what is in them.

#include "ui/plots/PlotExport.h"

#include <QApplication>
#include <QClipboard>
#include <QFile>
#include <QImage>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/Idle.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/bridge/TrainingBridge.h"
#include "ui/document/Folders.h"
#include "ui/plots/LocalityPlot.h"
#include "ui/plots/LossPlot.h"
#include "ui/plots/Plotting.h"
#include "ui/training/TrainingDock.h"
#include "ui/widgets/Dialogs.h"

using namespace headlight;
using namespace headlight::synthetic;

class PlotExportTest : public QObject {
  Q_OBJECT

  struct Fixture {
    Document document;
    TrainingBridge bridge;
    TrainingDock dock{&document, &bridge};
    ScopedDialogs dialogsAsBefore;
    Fixture() {
      fill(document);
      dock.resize(1180, 300);
      dock.show();
      if (!QTest::qWaitForWindowExposed(&dock)) qFatal("the dock was not shown");
      TrainingUpdate update;
      update.state = TrainingState::Running;
      for (int step = 1; step <= 4; ++step)
        update.steps.push_back({step, 2.0 / step, 1e-3, 100});
      update.epochPoints.push_back({1, 4, 1.0, 0.75, 0.5, 1.0, true});
      update.edits.push_back({2, {"hard", {}, "", ""}});
      HeadPoint point;
      point.locality = {{0.25f, 0.5f}, {0.125f, 0.0625f}};
      update.heads = {point};
      Q_EMIT bridge.updated(std::make_shared<const TrainingUpdate>(update));
    }
    QCustomPlot* loss() const { return dock.findChild<LossPlot*>()->plot(); }
    QCustomPlot* strip() const { return dock.findChild<LocalityPlot*>()->strip(); }
    void run(const char* id) {
      for (QAction* action : dock.commands())
        if (action->objectName() == QLatin1String(id)) return action->trigger();
      qFatal("there is no %s", id);
    }
  };

  static QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
  }

 private Q_SLOTS:
  void init() { failOnQtWarnings(); }

  void filesAreWhatTheirNamesSay() {
    QApplication::setPalette(QPalette(QColor(30, 32, 36)));  // dark: paper stays white
    Fixture f;
    QTRY_VERIFY(f.loss()->isVisible());
    untilIdle();
    QTemporaryDir folder;
    const auto saved = [&](const char* name) {
      const QString path = folder.filePath(QLatin1String(name));
      const auto written = writePlot(*f.loss(), path);
      if (!written) qFatal("%s", written.error().text().c_str());
      return path;
    };
    const QImage png(saved("a.png"));
    QCOMPARE(png.size(), 2 * f.loss()->size());
    QCOMPARE(png.pixelColor(1, 1), QColor(Qt::white));
    const QByteArray svg = contentOf(saved("a.svg"));
    QVERIFY(svg.contains("<svg") && svg.contains(">loss<") && svg.contains(">validation<"));
    QVERIFY(contentOf(saved("a.pdf")).startsWith("%PDF"));
    QVERIFY(contentOf(saved("a.csv")).startsWith("line,step,value\n"));
    const auto refused = writePlot(*f.loss(), folder.filePath(QStringLiteral("a.gif")));
    QVERIFY(!refused && refused.error().text().find(".svg") != std::string::npos);
    QVERIFY(!writePlot(*f.loss(), folder.filePath(QStringLiteral("none/a.png"))));
    // In the window it is as dark as before.
    QVERIFY(f.loss()->grab().toImage().pixelColor(1, 1).lightness() < 128);
    QApplication::setPalette(QPalette());
  }

  void theNumbersAreThoseThatAreDrawn() {
    Fixture f;
    QTRY_VERIFY(f.strip()->isVisible());
    const QStringList lines = plotData(*f.loss()).split(QLatin1Char('\n'));
    QVERIFY(lines.contains(QStringLiteral("\"train, as measured\",3,0.666666667")));
    QVERIFY(lines.contains(QStringLiteral("validation,4,0.75")));
    QVERIFY(lines.contains(QStringLiteral("top-1,4,50")));
    QVERIFY(lines.filter(QStringLiteral("mask edits")).isEmpty());
    QCOMPARE(plotData(*f.strip()),
             QStringLiteral("head,layer,ALS\n0,0,0.25\n1,0,0.5\n0,1,0.125\n1,1,0.0625\n"));
  }

  void commandsActOnThePlotUsedLast() {
    Fixture f;
    QTRY_VERIFY(f.strip()->isVisible());
    f.run("train.copyPlotData");  // none was used: the first
    QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("line,step,value")));
    f.dock.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&f.dock));
    f.strip()->setFocus();
    QTRY_VERIFY(f.strip()->hasFocus());
    f.run("train.copyPlotData");
    QVERIFY(QApplication::clipboard()->text().startsWith(QStringLiteral("head,layer,ALS")));
    f.run("train.copyPlot");
    QCOMPARE(QApplication::clipboard()->pixmap().size(),
             f.strip()->size() * f.strip()->devicePixelRatioF());
    for (const QCustomPlot* plot : f.dock.findChildren<QCustomPlot*>()) {
      QCOMPARE(plot->contextMenuPolicy(), Qt::ActionsContextMenu);
      QCOMPARE(plot->actions().size(), 3);
    }
  }

  void exportsAreSavedWhereTheLastOneWas() {
    Fixture f;
    QTRY_VERIFY(f.strip()->isVisible());
    QTemporaryDir folder;
    QStringList starts;
    dialogs().files = [&](QWidget*, const FileQuestion& question, const auto& answer) {
      starts << question.start;
      answer({folder.filePath(QStringLiteral("mine.svg"))});
    };
    QSignalSpy reported(&f.document, &Document::message);
    f.run("train.exportPlot");
    QCOMPARE(reported.size(), 1);
    QVERIFY(contentOf(folder.filePath(QStringLiteral("mine.svg"))).contains("<svg"));
    f.run("train.exportPlot");
    QCOMPARE(starts.last(), folder.filePath(QStringLiteral("plot.png")));
    dialogs().files = [&](QWidget*, const FileQuestion&, const auto& answer) {
      answer({folder.filePath(QStringLiteral("none/mine.svg"))});
    };
    QSignalSpy failed(&f.document, &Document::failed);
    f.run("train.exportPlot");
    QCOMPARE(failed.size(), 1);
  }
};

QTEST_MAIN(PlotExportTest)
#include "PlotExportTest.moc"
