// SPDX-License-Identifier: GPL-3.0-or-later

// Maps without a model in the window: pictures in the gallery, heads under the cursor, numbers,
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
  void initTestCase() { initialiseHeadlightResources(); }
  void init() {
    QTest::failOnWarning(QRegularExpression(QStringLiteral("^(?!This plugin does not support)")));
    m_folder = std::make_unique<QTemporaryDir>();
    m_maps = path("maps.safetensors");
    // Made by timm: two pictures (`input`) of 4 × 6 patches.
    QVERIFY(
        QFile::copy(QStringLiteral(HEADLIGHT_GOLDEN_DIR "/maps_from_hook.safetensors"), m_maps));
  }

  void openByThemselves() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
    const Document& document = *test.document();
    QVERIFY(document.model().isPrecomputed);
    QVERIFY(!document.canCompute());
    QCOMPARE(document.imagePath(), at(0));
    QVERIFY(test->gallery()->indexOf(at(1)).isValid());
    QCOMPARE(test->gallery()
                 ->index(test->gallery()->indexOf(at(1)).row(), 0)
                 .data(Qt::DisplayRole)
                 .toString(),
             QStringLiteral("maps.safetensors[1]"));
    QCOMPARE(document.model().grid.cols, 6);
    QCOMPARE(int(document.look()->maps.layers.size()), 2);
    QVERIFY(document.locality(0, 0).has_value());
    QVERIFY(!document.look()->top.empty());
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("without a model")));
    QVERIFY(test.newestNotice().text.contains(QStringLiteral("stretched")));  // no mean and std
  }

  void eachPictureHasItsOwnMaps() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
    const auto first = test.document()->look();
    test->opener()->openImage(at(1));
    QTRY_COMPARE(test.document()->imagePath(), at(1));
    QTRY_VERIFY(test.document()->look() && test.document()->look() != first);
    const auto file = readMapFile(m_maps.toStdString());
    QVERIFY(file);
    QVERIFY(*test.document()->look()->maps.layers[1].values == *file->maps(1)->layers[1].values);
    QVERIFY(*first->maps.layers[1].values == *file->maps(0)->layers[1].values);
  }

  void whatNeedsAModelSaysWhyNot() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
    for (const char* id : {"train.start", "masks.search", "model.load", "model.save"}) {
      const auto* action = test->findChild<QAction*>(QLatin1String(id));
      QVERIFY2(action, id);
      QVERIFY2(!action->isEnabled(), id);
    }
    for (const char* id : {"train.start", "masks.search", "model.load"})
      QVERIFY2(test->findChild<QAction*>(QLatin1String(id))
                   ->toolTip()
                   .contains(QStringLiteral("without a model")),
               id);
    QCOMPARE(test.document()->masks().maskableLayers(), 0);
    OPEN_SMALL_MODEL(test);
    QTRY_VERIFY(test.document()->canCompute());
    QVERIFY(test->findChild<QAction*>(QStringLiteral("train.start"))->isEnabled());
    QVERIFY(!test->findChild<QAction*>(QStringLiteral("train.start"))
                 ->toolTip()
                 .contains(QStringLiteral("without a model")));
    QTRY_VERIFY(test.document()->look());  // a model looks at a picture of the file
    QVERIFY(test.document()->look()->maps.layers.size() == 3);
  }

  void anotherPictureIsNotTheirs() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
    QSignalSpy said(test.document(), &Document::message);
    const QString picture = writePicture(path("other.png"));
    test->openPaths({picture});
    QTRY_COMPARE(test.document()->imagePath(), picture);
    QTRY_VERIFY(!said.isEmpty());
    QVERIFY(said.last().first().toString().contains(QStringLiteral("its own pictures")));
    QVERIFY(!test.document()->look());
    QVERIFY(!test.document()->isStale());
    test->opener()->openImage(at(1));
    QTRY_VERIFY(test.document()->look());
  }

  void comparesTwoPictures() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
    test->showWorkspace(QStringLiteral("compare"));
    auto* sides = test.window.findChild<CompareSides*>();
    QVERIFY(sides);
    Comparison comparison;
    comparison.sides[0] = {{}, SideMasks::Present, {}, at(1)};
    sides->setComparison(comparison);
    QTRY_VERIFY_WITH_TIMEOUT(sides->left().look() && !sides->isBusy(), 20000);
    const auto file = readMapFile(m_maps.toStdString());
    QVERIFY(*sides->left().look()->maps.layers[0].values == *file->maps(1)->layers[0].values);
    QVERIFY(*test.document()->look()->maps.layers[0].values == *file->maps(0)->layers[0].values);
  }

  void figuresLeaveAsFiles() {
    TestWindow test;
    test->openPaths({m_maps});
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
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
    QVERIFY(!test.document()->hasModel());
  }

  void sessionBringsThemBack() {
    const QString session = path("session.json");
    {
      TestWindow test(session);
      test->openPaths({m_maps});
      QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
      test->opener()->openImage(at(1));
      QTRY_COMPARE(test.document()->imagePath(), at(1));
      QTRY_VERIFY(test.document()->look());
      test.document()->changeView([](ViewOptions& view) {
        view.layer = 0;
        view.head = 2;
        view.query = 9;
      });
      QVERIFY(test->close());
    }
    TestWindow test(session);
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->hasModel(), 20000);
    QTRY_COMPARE(test.document()->imagePath(), at(1));
    QTRY_VERIFY_WITH_TIMEOUT(test.document()->look(), 20000);
    QVERIFY(test.document()->model().isPrecomputed);
    QCOMPARE(test.document()->view().layer, 0);
    QCOMPARE(test.document()->view().head, 2);
    QCOMPARE(test.document()->view().query, 9);
    QTRY_VERIFY(test->gallery()->indexOf(at(0)).isValid());
  }

 private:
  QString path(const char* name) const { return m_folder->filePath(QLatin1String(name)); }
  QString at(int picture) const { return QStringLiteral("%1[%2]").arg(m_maps).arg(picture); }

  std::unique_ptr<QTemporaryDir> m_folder;
  QString m_maps;
};

QTEST_MAIN(MapsTest)
#include "MapsTest.moc"
