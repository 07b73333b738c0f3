// SPDX-License-Identifier: GPL-3.0-or-later

// Videos in the window: each frame comes with its own maps, pausing leaves an image to work with,
// and frames are kept in the gallery.

#include <QCheckBox>
#include <QComboBox>
#include <QMessageBox>
#include <QPointer>
#include <QSignalSpy>
#include <QSlider>
#include <QSpinBox>
#include <QTest>

#include "core/workbench/session/Images.h"
#include "tests/gui/Grab.h"
#include "tests/gui/WindowFixture.h"
#include "ui/base/Actions.h"
#include "ui/bridge/VideoPlayer.h"
#include "ui/canvas/ImageView.h"
#include "ui/canvas/VideoBar.h"
#include "ui/figures/VideoFilmDialog.h"
#include "ui/workspace/ImageTabs.h"

using namespace headlight;

namespace {

constexpr int kClipLength = 20;

Image drawnFrame(int frame) {
  std::vector<std::uint8_t> pixels(std::size_t{3} * 64 * 48, 40);
  for (int y = 10; y < 34; ++y)
    for (int x = 2 * frame; x < 2 * frame + 20; ++x)
      pixels[std::size_t{3} * (y * 64 + x)] = 230;
  return {64, 48, std::make_shared<const std::vector<std::uint8_t>>(std::move(pixels))};
}

QString writeClip(const QString& path) {
  const auto film = valueOrThrow(FilmFile::create(path.toStdString(), 0.02));
  for (int i = 0; i < kClipLength; ++i)
    valueOrThrow(film->add(drawnFrame(i)));
  valueOrThrow(film->finish());
  return path;
}

}  // namespace

class VideoTest : public QObject {
  Q_OBJECT

  struct Fixture : TestWindow {
    QTemporaryDir folder;
    QString clip;
    VideoPlayer* player = nullptr;
    VideoBar* bar = nullptr;

    Fixture() {
      TestWindow& self = *this;
      OPEN_SMALL_MODEL(self);
      player = window.findChild<VideoPlayer*>("videoPlayer");
      bar = window.findChild<VideoBar*>("videoBar");
      QVERIFY(player && bar);
      QVERIFY(!bar->isVisible());
      clip = writeClip(folder.filePath("clip.avi"));
    }
    /// By its content, as any file.
    /// To be deleted.
    VideoFilmDialog* filmDialog() {
      const ScopedDialogs scoped;
      VideoFilmDialog* dialog = nullptr;
      dialogs().beside = [&dialog](QDialog* shown) {
        dialog = qobject_cast<VideoFilmDialog*>(shown);
        dialog->show();
      };
      run("view.video.film");
      return dialog;
    }
    void openClip() {
      QVERIFY(dropOn(&window, {clip}));
      QTRY_COMPARE(player->frame(), std::int64_t(0));
    }
    void run(const char* id) { window.actions()->find(id)->trigger(); }
    /// That the result is of the image: computed again by itself.
    bool inferenceIsOf(int frame) {
      const Image image = valueOrThrow(readVideoFrame(clip.toStdString(), frame));
      const auto inference = document()->inference();
      const Preprocessing seen = makePreprocessing(document()->inputs().model().experiment.model);
      return inference && *document()->inputs().image().pixels == *image.pixels &&
             *inference->view.pixels == *evaluationView(image, seen).pixels;
    }
  };

 private Q_SLOTS:
  void init() { QTest::failOnWarning(QRegularExpression("^(?!This plugin does not support)")); }

  void aDroppedVideoShowsItsFirstFrame() {
    Fixture f;
    f.openClip();
    QVERIFY(f.bar->isVisible());
    QVERIFY(!f.player->isPlaying());
    QVERIFY(f.inferenceIsOf(0));
    QCOMPARE(f.document()->inputs().imageName(), QString("clip.avi, frame 0"));
    QCOMPARE(f.player->info().frames, std::int64_t(kClipLength));
    QVERIFY2(f.bar->text().startsWith("frame 0 of 20 · 0.00 s"), qPrintable(f.bar->text()));
    synthetic::saveGrabs(f.window, QStringLiteral("video"));
  }

  void stepsAndTheSliderGoToFrames() {
    Fixture f;
    f.openClip();
    f.run("view.video.next");
    QTRY_COMPARE(f.player->frame(), std::int64_t(1));
    QVERIFY(f.inferenceIsOf(1));
    f.bar->findChild<QSlider*>("videoSlider")->setValue(15);
    QTRY_COMPARE(f.player->frame(), std::int64_t(15));
    QVERIFY(f.inferenceIsOf(15));
    f.run("view.video.back");
    QTRY_COMPARE(f.player->frame(), std::int64_t(14));
    QVERIFY(f.inferenceIsOf(14));
    f.player->show(1000);
    QTRY_COMPARE(f.player->frame(), std::int64_t(kClipLength - 1));
  }

  void playsEveryFrameWithItsOwnMaps() {
    Fixture f;
    f.openClip();
    f.player->setPace(VideoPlayer::Pace::Every);
    QList<std::int64_t> frames;
    bool whole = true;
    connect(f.player, &VideoPlayer::changed, &f.window, [&] {
      if (!frames.isEmpty() && frames.last() == f.player->frame()) return;
      frames << f.player->frame();
      whole = whole && f.inferenceIsOf(int(f.player->frame()));
    });
    f.run("view.video.play");
    QVERIFY(f.player->isPlaying());
    QTRY_VERIFY_WITH_TIMEOUT(!f.player->isPlaying(), 20000);
    QList<std::int64_t> all;
    for (int i = 0; i < kClipLength; ++i)
      all << i;
    QCOMPARE(frames, all);
    QVERIFY(whole);
    f.run("view.video.play");  // from the beginning again
    QTRY_VERIFY(f.player->frame() < 5);
    f.run("view.video.play");
    QVERIFY(!f.player->isPlaying());
  }

  void playingLiveComesToTheEnd() {
    Fixture f;
    f.openClip();
    f.player->setSpeed(8);
    f.player->play();
    QTRY_VERIFY_WITH_TIMEOUT(!f.player->isPlaying(), 20000);
    QCOMPARE(f.player->frame(), std::int64_t(kClipLength - 1));
  }

  void aPausedFrameIsAnImageToWorkWith() {
    Fixture f;
    f.openClip();
    f.player->show(6);
    QTRY_COMPARE(f.player->frame(), std::int64_t(6));
    MaskScheme masks = f.document()->inputs().masks();
    HeadMask hard;
    hard.kind = MaskKind::Hard;
    masks.set(0, 0, hard);
    f.document()->inputs().pushEdit(*makeMaskEdit(f.document()->inputs().masks(), masks, "test"));
    QTRY_VERIFY(f.document()->inference() && !f.document()->isStale());
    QVERIFY(f.document()->inference()->masks == f.document()->inputs().masks());
    QVERIFY(f.inferenceIsOf(6));
    f.run("view.video.next");  // under the same masks
    QTRY_COMPARE(f.player->frame(), std::int64_t(7));
    QVERIFY(f.document()->inference()->masks == f.document()->inputs().masks());
    QVERIFY(f.inferenceIsOf(7));
  }

  void zoomAndPointerStayFromFrameToFrame() {
    Fixture f;
    f.openClip();
    ImageView* view = f.window.findChild<ImageTabs*>()->image();
    QVERIFY(view);
    QTest::mouseMove(view, view->rect().center() + QPoint(3, 3));
    QTRY_VERIFY(view->pointedPatch() >= 0);
    view->setZoom(view->zoom() * 1.5, view->rect().center());
    QVERIFY(!view->isFitted());
    const int hovered = view->pointedPatch();
    f.run("view.video.next");
    QTRY_COMPARE(f.player->frame(), std::int64_t(1));
    QVERIFY(!view->isFitted());
    QCOMPARE(view->pointedPatch(), hovered);
    OPEN_IMAGE(f, writeImage(f.folder.filePath("a.png")));
    QVERIFY(view->isFitted());
  }

  void keptFramesAreInTheGallery() {
    Fixture f;
    f.openClip();
    f.player->show(9);
    QTRY_COMPARE(f.player->frame(), std::int64_t(9));
    f.run("view.video.keep");
    const QString address = f.clip + "[9]";
    QVERIFY(f->gallery()->indexOf(address).isValid());
    QCOMPARE(f.document()->inputs().imagePath(), address);
    const QString other = writeImage(f.folder.filePath("a.png"));
    f.player->play();
    OPEN_IMAGE(f, other);
    QVERIFY(!f.player->isPlaying());  // another image was asked for
    OPEN_IMAGE(f, address);
    QVERIFY(f.inferenceIsOf(9));
  }

  void aPlaylistIsRefusedByItsName() {
    Fixture f;
    const QString list = f.folder.filePath("list.ts");
    writeText(list, "#EXTM3U\n" + f.clip.toUtf8() + "\n");
    f->openPaths({list});
    QTRY_VERIFY(f.notices() > 0);
    QVERIFY2(f.newestNotice().text.contains("M3U or HLS playlist"),
             qPrintable(f.newestNotice().text));
  }

  void nonVideoIsRefused() {
    Fixture f;
    f.openClip();
    const QString text = f.folder.filePath("text.mp4");
    writeText(text, "no video at all");
    f.player->open(text);
    QTRY_VERIFY(f.notices() > 0);
    QVERIFY(f.newestNotice().text.contains("not a video by its content"));
    QCOMPARE(f.player->file(), f.clip);
    f.run("view.video.next");
    QTRY_COMPARE(f.player->frame(), std::int64_t(1));
    f.run("view.video.close");
    QVERIFY(!f.bar->isVisible());
    QVERIFY(f.document()->inputs().hasImage());
    QVERIFY(!f->actions()->find("view.video.play")->isEnabled());
  }

  void withoutACameraTheCommandSaysSo() {
    if (!cameras().empty()) QSKIP("this computer has a camera");
    Fixture f;
    f.run("file.openCamera");
    QVERIFY(f.notices() > 0);
    QCOMPARE(f.newestNotice().title, QString("There is no camera"));
  }

  void savesAFilm() {
    Fixture f;
    f.openClip();
    ScopedDialogs scoped;
    VideoFilmDialog* dialog = f.filmDialog();
    QVERIFY(dialog);
    dialog->findChild<QSpinBox*>("videoFilmEvery")->setValue(5);
    dialog->findChild<QSpinBox*>("videoFilmWidth")->setValue(64);
    dialog->findChild<QSpinBox*>("videoFilmTo")->setValue(12);
    QCOMPARE(chosenFrames(f.player->info(), dialog->options()), std::int64_t(3));
    QCOMPARE(dialog->options().layer, f.document()->view().options().layer);
    QSignalSpy saved(dialog, &VideoFilmDialog::saved);
    dialog->write(f.folder.filePath("film.gif"));
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, 20000);
    const auto film = VideoReader::open(f.folder.filePath("film.gif").toStdString());
    QVERIFY(bool(film));
    QCOMPARE((*film)->info().frames, std::int64_t(3));
    auto* oneScale = dialog->findChild<QCheckBox*>("videoFilmOneScale");
    oneScale->click();
    QVERIFY(dialog->options().oneScale);
    dialog->write(f.folder.filePath("together.gif"));
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 2, 20000);
    const auto firstOf = [&](const char* name) {
      return valueOrThrow(readVideoFrame(f.folder.filePath(name).toStdString(), 0));
    };
    QVERIFY(*firstOf("together.gif").pixels != *firstOf("film.gif").pixels);  // and says so
    dialog->findChild<QComboBox*>("videoFilmKind")->setCurrentIndex(4);
    QVERIFY(!oneScale->isEnabled());  // a table has no colors
    dialog->write(f.folder.filePath("table.csv"));
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 3, 20000);
    QFile table(f.folder.filePath("table.csv"));
    QVERIFY(table.open(QIODevice::ReadOnly));
    QCOMPARE(table.readAll().count('\n'), 4);
    QVERIFY(dialog->windowModality() == Qt::NonModal);  // the window can be used meanwhile
    delete dialog;
  }

  /// Nothing is kept of half a film: closing asks first.
  void closingAsksBeforeAFilmIsStopped() {
    Fixture f;
    f.openClip();
    const ScopedDialogs scoped;
    bool answer = false;
    int asked = 0;
    dialogs().confirm = [&](QWidget*, const QString&, const QString&, const QString&,
                            const std::function<void(bool)>& reported) {
      ++asked;
      reported(answer);
    };
    VideoFilmDialog* dialog = f.filmDialog();
    QVERIFY(dialog);
    QSignalSpy saved(dialog, &VideoFilmDialog::saved);
    dialog->write(f.folder.filePath("film.gif"));
    QVERIFY(dialog->isBusy());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QCOMPARE(asked, 1);
    QVERIFY(dialog->isVisible() && dialog->isBusy());
    answer = true;
    QTest::keyClick(dialog, Qt::Key_Escape);
    QCOMPARE(asked, 2);
    QVERIFY(!dialog->isVisible());
    QTRY_VERIFY_WITH_TIMEOUT(!dialog->isBusy(), 20000);
    QCOMPARE(saved.count(), 0);
    delete dialog;
  }

  /// Whether to stop what has ended is no question any more.
  void theQuestionGoesWhenTheFilmIsMade() {
    Fixture f;
    f.openClip();
    const ScopedDialogs scoped;
    VideoFilmDialog* dialog = f.filmDialog();
    QVERIFY(dialog);
    QSignalSpy saved(dialog, &VideoFilmDialog::saved);
    dialog->write(f.folder.filePath("film.gif"));
    QVERIFY(dialog->isBusy());
    QTest::keyClick(dialog, Qt::Key_Escape);
    QPointer<QMessageBox> question = dialog->findChild<QMessageBox*>();
    QVERIFY(question && question->isVisible());
    QTRY_COMPARE_WITH_TIMEOUT(saved.count(), 1, 20000);
    QTRY_VERIFY(!question);
    QVERIFY(dialog->isVisible());
    delete dialog;
  }
};

QTEST_MAIN(VideoTest)
#include "VideoTest.moc"
