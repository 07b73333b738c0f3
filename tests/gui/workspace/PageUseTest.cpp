// SPDX-License-Identifier: GPL-3.0-or-later

// Every page offers the choices that do something on it, and no other: one layer, not two.

#include "ui/workspace/PageUse.h"

#include <QAction>
#include <QTemporaryDir>

#include "tests/gui/SyntheticInference.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/compare/CompareView.h"
#include "ui/workspace/ImageTabs.h"

using namespace headlight;

class PageUseTest : public QObject {
  Q_OBJECT
 private Q_SLOTS:
  void init() { synthetic::failOnQtWarnings(); }

  void pagesOfferWhatDoesSomethingThere() {
    QTemporaryDir folder;
    TestWindow test;
    OPEN_SMALL_MODEL(test);
    OPEN_IMAGE(test, writeImage(folder.filePath(QStringLiteral("image.png"))));
    const auto isThere = [&](const char* name) {
      auto* widget = test->findChild<QWidget*>(QString::fromLatin1(name));
      return widget && widget->isVisible();
    };
    const auto isOn = [&](const char* id) {
      return test->actions()->find(QString::fromLatin1(id))->isEnabled();
    };
    const auto explain = [&](const char* method) {
      test->showTab(QStringLiteral("explain"));
      test.document()->view().change([&](ViewOptions& view) { view.method.name = method; });
    };
    test->showTab(QStringLiteral("canvas"));
    for (const char* name : {"viewLayer", "viewHead", "viewToken", "viewShared", "viewMask"})
      QTRY_VERIFY2(isThere(name), name);
    test->showTab(QStringLiteral("rollout"));
    for (const char* name : {"viewLayer", "viewHead", "viewToken", "viewShared", "viewMask"})
      QTRY_VERIFY2(!isThere(name), name);
    for (const char* id : {"view.nextLayer", "view.previousHead", "view.classToken",
                           "view.sharedRange", "view.maskOutline"})
      QVERIFY2(!isOn(id), id);
    QVERIFY(isThere("viewStyle") && isOn("view.overlay"));
    // Of one layer: its own choice alone, which the keys move.
    explain("grad-cam");
    QTRY_VERIFY(isThere("wayLayer") && !isThere("viewLayer"));
    QVERIFY(!isThere("viewHead") && !isThere("viewToken") && !isOn("view.nextHead"));
    test->actions()->find(QStringLiteral("view.previousLayer"))->trigger();
    QCOMPARE(test.document()->view().options().method.layer, 1);  // of three, before the last
    QCOMPARE(test.document()->view().options().layer, 2);
    explain("relevance");
    QTRY_VERIFY(!isThere("wayLayer") && !isThere("viewLayer") && !isOn("view.nextLayer"));
    explain("similarity");
    QTRY_VERIFY(isThere("viewToken") && isThere("viewStyle"));
    explain("logit-lens");
    QTRY_VERIFY(!isThere("viewStyle") && !isThere("viewOverlay") && !isThere("viewSmooth"));
    test->showTab(QStringLiteral("compare"));
    QTRY_VERIFY(isThere("viewLayer") && isThere("viewToken") && !isThere("viewShared"));
    test->findChild<ImageTabs*>()->compare()->setPage(CompareView::Page::Layers);
    QTRY_VERIFY(!isThere("viewToken") && isThere("viewHead"));
    test->showTab(QStringLiteral("heads"));
    QTRY_VERIFY(isThere("viewLayer") && isThere("viewHead") && isThere("viewToken"));
    QVERIFY(isOn("view.nextLayer") && isOn("view.nextHead"));
  }
};

QTEST_MAIN(PageUseTest)
#include "PageUseTest.moc"
