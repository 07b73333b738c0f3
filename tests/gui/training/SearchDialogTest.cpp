// SPDX-License-Identifier: GPL-3.0-or-later

// Searching from the window: decisions appear with their reasons, the scheme can be used, and
// stopping keeps the results.

#include <QPushButton>
#include <QSignalSpy>
#include <QTableWidget>
#include <QTemporaryDir>
#include <QTest>

#include "tests/gui/EndlessExperiment.h"
#include "tests/gui/Grab.h"
#include "tests/gui/SyntheticInference.h"
#include "ui/forms/ParameterForm.h"
#include "ui/training/SearchDialog.h"
#include "ui/widgets/Dialogs.h"
#include "ui/widgets/MessageLabel.h"

using namespace headlight;
using namespace headlight::synthetic;

class SearchDialogTest : public QObject {
  Q_OBJECT

  static Experiment anExperiment(std::int64_t epochs) {
    Experiment experiment = endlessExperiment();
    experiment.name = "searched";
    experiment.training.epochs = epochs;
    experiment.data.trainSamples = 16;
    experiment.data.validationSamples = 8;
    return experiment;
  }
  static void set(SearchDialog& dialog, const char* name, const Json& value) {
    dialog.form()->setValue(QString::fromLatin1(name), value);
    Q_EMIT dialog.form()->changed();
  }
  static QPushButton* button(const SearchDialog& dialog, const char* name) {
    return dialog.findChild<QPushButton*>(QString::fromLatin1(name));
  }
  static MessageLabel* status(const SearchDialog& dialog) {
    return dialog.findChild<MessageLabel*>(QStringLiteral("searchStatus"));
  }

 private Q_SLOTS:
  void init() {
    failOnQtWarnings();
    qRegisterMetaType<SearchReport>("headlight::SearchReport");
  }

  void decisionsAppearAndSchemeCanBeApplied() {
    const QTemporaryDir folder;
    SearchDialog dialog(anExperiment(1), {});
    dialog.setFolder(folder.filePath(QStringLiteral("found")));
    set(dialog, "all_above", 0);
    set(dialog, "calibrate_below", 0);
    set(dialog, "images", 4);
    QVERIFY(!button(dialog, "useFoundMasks")->isEnabled());
    QSignalSpy ended(&dialog, &SearchDialog::ended), found(&dialog, &SearchDialog::found);
    button(dialog, "startSearch")->click();
    QVERIFY(dialog.isSearching() && button(dialog, "stopSearch")->isEnabled());
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 120'000);
    QVERIFY2(status(dialog)->tone() == MessageLabel::Tone::Plain,
             qPrintable(status(dialog)->text()));
    auto* log = dialog.findChild<QTableWidget*>(QStringLiteral("searchLog"));
    bool reason = false;
    for (int row = 0; row < log->rowCount(); ++row)
      reason = reason || log->item(row, 4)->text().contains(QStringLiteral("is above 0"));
    QVERIFY(reason);
    // Reasons are read whole: in as many lines as they need.
    QVERIFY(log->wordWrap());
    QCOMPARE(log->textElideMode(), Qt::ElideNone);
    dialog.show();
    QVERIFY(QTest::qWaitForWindowExposed(&dialog));
    log->item(0, 4)->setText(QStringLiteral("because of it ").repeated(40));
    log->resizeRowsToContents();
    QVERIFY(log->rowHeight(0) > 2 * log->rowHeight(1));
    button(dialog, "useFoundMasks")->click();
    QCOMPARE(found.size(), 1);
    const auto scheme = found.front().front().value<SearchReport>().scheme;
    QCOMPARE(scheme.maskedHeads(), scheme.layers() * scheme.heads(0));
    dialog.show();
    saveGrabs(dialog, QStringLiteral("search"));
  }

  void timeIsToldBeforeItBegins() {
    SearchDialog dialog(anExperiment(2), {});
    const QTemporaryDir folder;
    dialog.setFolder(folder.filePath(QStringLiteral("found")));
    QSignalSpy estimated(&dialog, &SearchDialog::estimated);
    QVERIFY(estimated.wait(60'000));
    QVERIFY2(dialog.timeText().startsWith(QStringLiteral("Takes about ")),
             qPrintable(dialog.timeText()));
    dialog.show();
    saveGrabs(dialog, QStringLiteral("search-before"));
  }

  void anotherMethodHasAFolderOfItsOwn() {
    SearchDialog dialog(anExperiment(1), {});
    QVERIFY2(dialog.folder().endsWith(QStringLiteral("/searched-mait")),
             qPrintable(dialog.folder()));
    set(dialog, "method", "random");
    QVERIFY2(dialog.folder().endsWith(QStringLiteral("/searched-random")),
             qPrintable(dialog.folder()));
    const QTemporaryDir folder;
    dialog.setFolder(folder.path());
    set(dialog, "method", "harden");
    QCOMPARE(dialog.folder(), folder.path());  // chosen
  }

  void stoppingKeepsResults() {
    ScopedDialogs asBefore;
    const QTemporaryDir folder;
    SearchDialog dialog(anExperiment(100'000), {});
    dialog.setFolder(folder.filePath(QStringLiteral("long")));
    QSignalSpy ended(&dialog, &SearchDialog::ended);
    dialog.show();
    dialog.start();
    auto* log = dialog.findChild<QTableWidget*>(QStringLiteral("searchLog"));
    QTRY_VERIFY_WITH_TIMEOUT(log->rowCount() > 1, 60'000);
    dialogs().confirm = [](QWidget*, const QString&, const QString&, const QString&,
                           const auto& answer) { answer(false); };
    dialog.close();
    QVERIFY(dialog.isVisible() && dialog.isSearching());
    dialogs().confirm = [](QWidget*, const QString&, const QString&, const QString&,
                           const auto& answer) { answer(true); };
    dialog.close();
    QTRY_COMPARE_WITH_TIMEOUT(ended.size(), 1, 60'000);
    QTRY_VERIFY(!dialog.isVisible());
    QVERIFY(QFile::exists(folder.filePath(QStringLiteral("long/1-initial/last.safetensors"))));
  }

  void missingInputIsReported() {
    SearchDialog dialog(anExperiment(1), {});
    QVERIFY(button(dialog, "startSearch")->isEnabled());
    QVERIFY(!dialog.form()->editor(QStringLiteral("all_above"))->isHidden());
    set(dialog, "method", "greedy");
    QVERIFY(!button(dialog, "startSearch")->isEnabled());
    QCOMPARE(status(dialog)->tone(), MessageLabel::Tone::Problem);
    set(dialog, "method", "mait");
    QVERIFY(button(dialog, "startSearch")->isEnabled());
    set(dialog, "set", "soft:3");
    QVERIFY(!button(dialog, "startSearch")->isEnabled());
  }
};

QTEST_MAIN(SearchDialogTest)
#include "SearchDialogTest.moc"
