// SPDX-License-Identifier: GPL-3.0-or-later

// Maps without a model in the window: images in the gallery, heads under the cursor, numbers,
// Compare, figures and the session; and what needs a model says why not.

#include <QAction>
#include <QRegularExpression>
#include <QSignalSpy>

#include "core/workbench/loading/MapFile.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Resources.h"
#include "ui/compare/CompareSides.h"
#include "ui/compare/CompareView.h"
#include "ui/figures/FigureExport.h"
#include "ui/opening/Opener.h"

using namespace headlight;

class MapsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { initializeHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_maps = path("maps.safetensors");
    // Made by timm: two images (`input`) of 4 × 6 patches.
    QVERIFY(
        QFile::copy(QStringLiteral(HEADLIGHT_GOLDEN_DIR "/maps_from_hook.safetensors"), m_maps));
  }

  void openByThemselves() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
    const Document& document = *test.document();
    QVERIFY(document.inputs().model().isPrecomputed);
    QVERIFY(!document.inputs().canCompute());
    QCOMPARE(document.inputs().imagePath(), at(0));
    QVERIFY(test->gallery()->indexOf(at(1)).isValid());
    QCOMPARE(test->gallery()
                 ->index(test->gallery()->indexOf(at(1)).row(), 0)
                 .data(Qt::DisplayRole)
                 .toString(),
             QStringLiteral("maps.safetensors[1]"));
    QCOMPARE(document.inputs().model().grid.cols, 6);
    QCOMPARE(int(document.inference()->maps.layers.size()), 2);
    QVERIFY(document.numbers().locality(0, 0).has_value());
    QVERIFY(!document.inference()->top.empty());
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("without a model")));
    QVERIFY(test.newestNotice().text.contains(
        QStringLiteral("scaled from its minimum")));  // no mean and std
  }

  void anAddressOpensItsMapsAndItsImage() {
    TestWindow test;
    test->openPaths({at(1)});
    QTRY_COMPARE_WITH_TIMEOUT(test.document()->inputs().imagePath(), at(1), 20000);
    QVERIFY(test.document()->inputs().model().isPrecomputed);
    QVERIFY(test->gallery()->indexOf(at(0)).isValid());
  }

  void eachImageHasItsOwnMaps() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
    const auto first = test.document()->inference();
    test->opener()->openImage(at(1));
    QTRY_COMPARE(test.document()->inputs().imagePath(), at(1));
    QTRY_VERIFY(test.document()->inference() && test.document()->inference() != first);
    const auto file = readMapFile(m_maps.toStdString());
    QVERIFY(file);
    QVERIFY(*test.document()->inference()->maps.layers[1].values ==
            *file->maps(1)->layers[1].values);
    QVERIFY(*first->maps.layers[1].values == *file->maps(0)->layers[1].values);
  }

  void commandsThatNeedAModelSayWhy() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
    for (const char* id : {"train.start", "masks.search", "model.load", "model.save"}) {
      const auto* action = test->findChild<QAction*>(QLatin1String(id));
      QVERIFY2(action, id);
      QVERIFY2(!action->isEnabled(), id);
    }
    for (const char* id : {"train.start", "masks.search", "model.load"})
      QVERIFY2(test->findChild<QAction*>(QLatin1String(id))
                   ->toolTip()
                   .contains(QStringLiteral("open a model")),
               id);
    QCOMPARE(test.document()->inputs().masks().maskableLayers(), 0);
    OPEN_SMALL_MODEL(test);
    QTRY_VERIFY(test.document()->inputs().canCompute());
    QVERIFY(test->findChild<QAction*>(QStringLiteral("train.start"))->isEnabled());
    QVERIFY(!test->findChild<QAction*>(QStringLiteral("train.start"))
                 ->toolTip()
                 .contains(QStringLiteral("open a model")));
    QTRY_VERIFY(test.document()->inference());  // a model runs on an image of the file
    QVERIFY(test.document()->inference()->maps.layers.size() == 3);
  }

  void anotherImageIsNotTheirs() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
    QSignalSpy said(test.document(), &Document::message);
    const QString image = writeImage(path("other.png"));
    test->openPaths({image});
    QTRY_COMPARE(test.document()->inputs().imagePath(), image);
    QTRY_VERIFY(!said.isEmpty());
    QVERIFY(said.last().first().toString().contains(QStringLiteral("its own images")));
    QVERIFY(!test.document()->inference());
    QVERIFY(!test.document()->isStale());
    test->opener()->openImage(at(1));
    QTRY_VERIFY(test.document()->inference());
  }

  void comparesTwoImages() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
    test->showWorkspace(QStringLiteral("compare"));
    auto* sides = test.window.findChild<CompareSides*>();
    QVERIFY(sides);
    Comparison comparison;
    comparison.sides[0] = {{}, SideMasks::Present, {}, at(1)};
    sides->setComparison(comparison);
    QTRY_VERIFY_WITH_TIMEOUT(sides->left().inference() && !sides->isBusy(), 20000);
    const auto file = readMapFile(m_maps.toStdString());
    QVERIFY(*sides->left().inference()->maps.layers[0].values == *file->maps(1)->layers[0].values);
    QVERIFY(*test.document()->inference()->maps.layers[0].values ==
            *file->maps(0)->layers[0].values);
  }

  void figuresLeaveAsFiles() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
    for (const FigureKind kind : {FigureKind::Canvas, FigureKind::Heads}) {
      auto figure = captureFigure(*test.document(), kind);
      QVERIFY2(figure, figure ? "" : figure.error().text().c_str());
      for (const char* name : {"figure.png", "figure.svg", "figure.pdf"}) {
        figure->path = path(name);
        const auto written = writeFigure(*figure);
        QVERIFY2(written, written ? "" : written.error().text().c_str());
        QVERIFY(QFileInfo(path(name)).size() > 1000);
        QFile::remove(path(name));
      }
    }
  }

  void badMapsAreNamed() {
    TestWindow test;
    writeText(path("damaged.safetensors"), QByteArray("\x10\0\0\0\0\0\0\0{\"attention.0\": ", 24));
    test->openPaths({path("damaged.safetensors")});
    QTRY_VERIFY(test.notices() > 0);
    QCOMPARE(test.newestNotice().level, Notice::Level::Error);
    QVERIFY(!test.document()->inputs().hasModel());
  }

  void sessionBringsThemBack() {
    const QString session = path("session.json");
    {
      TestWindow test(session);
      test->openPaths({m_maps});
      QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
      test->opener()->openImage(at(1));
      QTRY_COMPARE(test.document()->inputs().imagePath(), at(1));
      QTRY_VERIFY(test.document()->inference());
      test.document()->view().change([](ViewOptions& view) {
        view.layer = 0;
        view.head = 2;
        view.query = 9;
      });
      QVERIFY(test->close());
    }
    TestWindow test(session);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inputs().hasModel(), 20000);
    QTRY_COMPARE(test.document()->inputs().imagePath(), at(1));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->inference(), 20000);
    QVERIFY(test.document()->inputs().model().isPrecomputed);
    QCOMPARE(test.document()->view().options().layer, 0);
    QCOMPARE(test.document()->view().options().head, 2);
    QCOMPARE(test.document()->view().options().query, 9);
    QTRY_VERIFY(test->gallery()->indexOf(at(0)).isValid());
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
  QString at(int image) const { return QStringLiteral("%1[%2]").arg(m_maps).arg(image); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_maps;
};

QTEST_MAIN(MapsTest)
#include "MapsTest.moc"
