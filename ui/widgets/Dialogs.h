// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Every modal dialog goes through these, so that tests can answer them. None of them waits: the
// answer comes by callback (no nested event loop), and a dialog that is canceled calls back with
// "no" or an empty list.

#include <QDialog>
#include <QString>
#include <QStringList>
#include <QWidget>

#include <functional>

namespace headlight {

struct FileQuestion {
  enum class Mode { OpenFile, OpenFiles, SaveFile, OpenFolder };
  Mode mode = Mode::OpenFile;
  QString title;
  QString start;   ///< folder or proposed file
  QString filter;  ///< "Images (*.png *.jpg);;All files (*)"
  QString suffix;  ///< added to a saved file's name that has none, without the dot
};

struct Dialogs {
  /// Tells something that was asked for and went wrong. Not for passing remarks: see NoticeBar.
  std::function<void(QWidget* parent, const QString& title, const QString& text)> error;
  /// A question with one action ("Replace weights") and Cancel.
  std::function<void(QWidget* parent, const QString& title, const QString& text,
                     const QString& action, std::function<void(bool)> answer)>
      confirm;
  std::function<void(QWidget* parent, const FileQuestion& question,
                     std::function<void(const QStringList&)> answer)>
      files;
  /// Shows a dialog of our own, window-modal; deletes it afterwards. `done` gets
  /// QDialog::Accepted or Rejected while the dialog still exists.
  std::function<void(QDialog* dialog, std::function<void(int)> done)> show;
  /// Shows a dialog of our own beside the window, which can be used meanwhile; deletes it when it
  /// is closed.
  std::function<void(QDialog* dialog)> beside;
};

/// The names of image files in a filter: "*.jpg *.jpeg …".
QString imagePatterns();
/// The filter "Images (*.jpg *.jpeg …)".
QString imageFilter();

/// The seams in use; the real dialogs until a test replaces them.
Dialogs& dialogs();

/// For a dialog that is at work when it is to be closed: asks whether that is to stop, and calls
/// `stop` and closes it after a yes.
void askToStop(QDialog* dialog, const QString& title, const QString& text,
               std::function<void()> stop);

/// dialogs().files() for one path; `take` gets it unless the person cancels.
void askForPath(QWidget* parent, const FileQuestion& question,
                std::function<void(const QString& path)> take);
/// The same for a file to be written: `start` is proposed, and a name without an ending gets the
/// first that `filter` has.
void askWhereToSave(QWidget* parent, const QString& title, const QString& start,
                    const QString& filter, std::function<void(const QString& path)> take);
/// The same for a folder.
void askForFolder(QWidget* parent, const QString& title, const QString& start,
                  std::function<void(const QString& folder)> take);

/// Puts back the dialogs that were in use when it was made.
class ScopedDialogs {
 public:
  ScopedDialogs() : m_before(dialogs()) {}
  ~ScopedDialogs() { dialogs() = m_before; }
  Q_DISABLE_COPY_MOVE(ScopedDialogs)

 private:
  Dialogs m_before;
};

}  // namespace headlight
