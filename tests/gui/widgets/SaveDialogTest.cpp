// SPDX-License-Identifier: GPL-3.0-or-later

// The dialog that asks where to save, as a person types into it: the proposed name gives way.

#include <QDialogButtonBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

#include "ui/widgets/Dialogs.h"

using namespace headlight;

class SaveDialogTest : public QObject {
  Q_OBJECT

  struct Fixture {
    QTemporaryDir folder;
    QString taken;
    QWidget window;
    QFileDialog* dialog = nullptr;
    QLineEdit* name = nullptr;

    Fixture() {
      window.show();
      askWhereToSave(&window, QStringLiteral("Save the map"), folder.filePath("map.png"),
                     QStringLiteral("PNG (*.png);;PDF (*.pdf)"),
                     [this](const QString& path) { taken = path; });
      dialog = window.findChild<QFileDialog*>();
      if (!dialog) qFatal("no dialog asks");
      name = dialog->findChild<QLineEdit*>("fileNameEdit");
      if (!name) qFatal("the dialog has no field for a name");
      QCoreApplication::processEvents();  // behind which the name stays selected
    }
    void type(const QString& text) const { QTest::keyClicks(name, text); }
    void save() const {
      dialog->findChild<QDialogButtonBox*>()->button(QDialogButtonBox::Save)->click();
    }
  };

  QTemporaryDir m_settings;

 private Q_SLOTS:
  /// Qt's dialog remembers its folders in the person's settings.
  void initTestCase() {
    QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope, m_settings.path());
    QApplication::setAttribute(Qt::AA_DontUseNativeDialogs);
  }

  void theProposedNameIsSelected() {
    Fixture f;
    QCOMPARE(f.name->text(), QString("map.png"));
    QVERIFY(QTest::qWaitForWindowExposed(f.dialog));
    QCOMPARE(f.name->selectedText(), QString("map.png"));
    QCOMPARE(f.dialog->focusWidget(), f.name);
  }

  void theSelectionOutlastsActivation() {
    Fixture f;
    f.dialog->activateWindow();  // no window manager does it under a bare X server
    QTRY_VERIFY(f.name->hasFocus());
    QCOMPARE(f.name->selectedText(), QString("map.png"));
  }

  void aTypedPathReplacesIt() {
    const QTemporaryDir elsewhere;
    Fixture f;
    const QString path = elsewhere.filePath("other.pdf");
    QVERIFY(QTest::qWaitForWindowExposed(f.dialog));
    f.type(path);
    QCOMPARE(f.name->text(), path);
    f.save();
    QTRY_COMPARE(f.taken, path);
  }

  void aTypedNameGetsTheFirstEnding() {
    Fixture f;
    QVERIFY(QTest::qWaitForWindowExposed(f.dialog));
    f.type(QStringLiteral("other"));
    f.save();
    QTRY_COMPARE(f.taken, f.folder.filePath("other.png"));
  }

  void theProposedFileIsTakenAsItIs() {
    Fixture f;
    QVERIFY(QTest::qWaitForWindowExposed(f.dialog));
    f.save();
    QTRY_COMPARE(f.taken, f.folder.filePath("map.png"));
  }

  /// As a dialog of the window's that stays open beside it, such as Teach.
  void askedInADialogItBelongsToThatDialog() {
    QWidget window;
    window.show();
    QDialog beside(&window);
    beside.show();
    QVERIFY(QTest::qWaitForWindowExposed(&beside));
    beside.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&beside));
    askForFolder(&window, QStringLiteral("Folder"), {}, [](const QString&) {});
    QVERIFY(beside.findChild<QFileDialog*>());
  }

  void ofADialogThatClosesItBelongsToTheWindow() {
    QWidget window;
    window.show();
    QDialog closing(&window);
    closing.show();
    closing.activateWindow();
    QVERIFY(QTest::qWaitForWindowActive(&closing));
    closing.reject();
    askForFolder(&window, QStringLiteral("Folder"), {}, [](const QString&) {});
    QVERIFY(!closing.findChild<QFileDialog*>() && window.findChild<QFileDialog*>());
  }
};

QTEST_MAIN(SaveDialogTest)
#include "SaveDialogTest.moc"
