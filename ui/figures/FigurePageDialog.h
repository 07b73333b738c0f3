// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// A figure page for a paper, shown as it is saved: images, columns, scales and texts. Not modal, so
// that heads can be chosen in the window. The model runs in the background, with the remaining
// time; closing stops it.

#include <QDialog>
#include <QTimer>

#include <functional>
#include <memory>

#include "ui/document/Document.h"
#include "ui/figures/FigurePageParts.h"
#include "ui/figures/PageJob.h"

namespace headlight {

class FigurePageFiles;
class ModelWorker;
class ProgressTask;

class FigurePageDialog : public QDialog {
  Q_OBJECT
 public:
  FigurePageDialog(Document* document, ModelWorker* inference, QWidget* parent = nullptr);
  ~FigurePageDialog() override;

  /// The images selected in the gallery; empty: only the open one.
  void setGallery(std::function<QStringList()> marked) { m_marked = std::move(marked); }
  /// The session stored in a PNG.
  void setSession(std::function<QByteArray()> session);

  void setPage(const FigurePage& page);
  /// The current page, with the document's model.
  FigurePage page() const;
  /// A default page of the gallery's images and the chosen head.
  void startAnew();

  /// Adds the column that `text` describes (PageColumn.h).
  void addColumn(const QString& text);
  void addChosenHead();
  void takeImages();
  void save(const QString& path);  ///< .pdf, .svg or .png
  void saveDescription(const QString& path);
  void openDescription(const QString& path);

  bool isBusy() const;
  const PagePreview* preview() const { return m_parts.preview; }
  QString problem() const { return m_problem; }  ///< of the page shown; empty: none

 Q_SIGNALS:
  void pageChanged();  ///< by the user
  void shown();        ///< a page, or its error

 protected:
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  void connectParts();
  void connectButtons();
  void connectDocument();
  void editColumn(int row, const QString& text);
  void editImage(int row, const QString& text);
  void fillSuggestions();
  void touched();   ///< changed by the user
  void outdated();  ///< the model or its masks changed
  void refresh();
  void take(const ShownPage& shown);
  void stop();
  PageJob job() const;

  Document* m_document;
  ModelWorker* m_inference;
  std::function<QStringList()> m_marked;
  FigurePageParts m_parts;
  ProgressTask* m_task;
  FigurePageFiles* m_files;
  QTimer m_settled;
  std::shared_ptr<const PageContent> m_known;  ///< for the current model, masks and weights
  std::uint64_t m_weights = 0;
  bool m_again = false;  ///< when the current run is done
  QString m_problem;
};

}  // namespace headlight
