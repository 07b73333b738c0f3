// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A page for a paper, seen as it will be saved: pictures, what is shown of them, scales and words.
// It stays beside the window, so that heads can be chosen there; looking goes on beside it, with
// the time that remains, and closing stops that.

#include <QDialog>
#include <QTimer>

#include <functional>
#include <memory>

#include "ui/document/Document.h"
#include "ui/figures/PageJob.h"

class QComboBox;
class QHBoxLayout;
class QPushButton;
class QVBoxLayout;

namespace headlight {

class ModelWorker;
class MessageLabel;
class PageEntries;
class PagePreview;
class ParameterForm;
class ProgressLine;
class ProgressTask;

class FigurePageDialog : public QDialog {
  Q_OBJECT
 public:
  FigurePageDialog(Document* document, ModelWorker* look, QWidget* parent = nullptr);
  ~FigurePageDialog() override;

  /// The pictures that are marked in the gallery; empty: none but the one that is open.
  void setGallery(std::function<QStringList()> marked) { m_marked = std::move(marked); }
  /// What a PNG carries.
  void setSession(std::function<QByteArray()> session) { m_session = std::move(session); }

  void setPage(const FigurePage& page);
  /// As it is now, of the document's model.
  FigurePage page() const;
  /// What is useful without a question, of the gallery's pictures and the chosen head.
  void startAnew();

  /// Adds what `text` says (PageColumn.h).
  void addColumn(const QString& text);
  void addChosenHead();
  void takePictures();
  void save(const QString& path);  ///< .pdf, .svg or .png
  void saveDescription(const QString& path);
  void openDescription(const QString& path);

  bool isBusy() const;
  const PagePreview* preview() const { return m_preview; }
  QString problem() const { return m_problem; }  ///< of what is shown; empty where nothing is wrong

 Q_SIGNALS:
  void pageChanged();  ///< by the person
  void shown();        ///< a page, or what is wrong with it

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void layOut();
  void layOutPictures(QVBoxLayout* layout);
  void layOutColumns(QVBoxLayout* layout);
  QHBoxLayout* makeButtons();
  void connectParts();
  void chooseWhereToSave();
  void chooseDescription(bool toSave);
  void editColumn(int row, const QString& text);
  void editPicture(int row, const QString& text);
  void fillSuggestions();
  void touched();   ///< by the person
  void outdated();  ///< the model or its masks are others
  void refresh();
  void take(const ShownPage& shown);
  void stop();
  PageJob job() const;

  Document* m_document;
  ModelWorker* m_look;
  std::function<QStringList()> m_marked;
  std::function<QByteArray()> m_session;
  PageEntries *m_pictures, *m_columns;
  QComboBox* m_add;
  ParameterForm* m_form;
  PagePreview* m_preview;
  ProgressLine* m_progress;
  ProgressTask *m_task, *m_writer;
  MessageLabel* m_status;
  QPushButton *m_save = nullptr, *m_stop = nullptr;
  QTimer m_settled;
  std::shared_ptr<const PageContent> m_known;  ///< of the model, masks and weights as they are
  std::uint64_t m_weights = 0;
  bool m_again = false;  ///< once what goes on is done
  QString m_problem;
};

}  // namespace headlight
