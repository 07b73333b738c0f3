// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Teaches the open model classes: a folder of class folders, or classes by hand; then the accuracy,
// what is confused, and the model with the new classes in the window. Not modal: it follows mask
// edits, and images are dragged into it.

#include <QDialog>

#include "core/workbench/evaluation/ClassReport.h"
#include "ui/base/BackgroundTask.h"
#include "ui/teaching/TeachBridge.h"

class QCheckBox;
class QDialogButtonBox;
class QLabel;
class QPushButton;
class QTableWidget;
class QTabWidget;

namespace headlight {

class ClassShelf;
class ConfusionView;
class MessageLabel;
class ParameterForm;
class PathRow;
class ProgressLine;
class ThumbnailList;

class TeachDialog : public QDialog {
  Q_OBJECT
 public:
  /// `data`: the folder and how it is read, to begin with.
  TeachDialog(const Document* document, TeachBridge* bridge, const DataConfig& data,
              QWidget* parent = nullptr);

  /// How data is read, and what the fields do not say of it.
  void setData(const DataConfig& data);
  /// A folder of class folders.
  void setFolder(const QString& folder);
  /// Features are kept there; the person's cache unless set.
  void setFeaturePlace(const FeaturePlace& place) { m_place = place; }
  ClassShelf* shelf() const { return m_shelf; }
  QTableWidget* classes() const { return m_classes; }
  ConfusionView* confusion() const { return m_confusion; }
  ThumbnailList* worst() const { return m_worst; }
  QString headline() const;
  QString message() const;

 public Q_SLOTS:
  void teach();

 Q_SIGNALS:
  void saveRequested();
  void opened(const headlight::Image& image, const QString& name);

 protected:
  void dragEnterEvent(QDragEnterEvent* event) override;
  void dropEvent(QDropEvent* event) override;
  void showEvent(QShowEvent* event) override;
  void hideEvent(QHideEvent* event) override;

 private:
  QWidget* makeSources();
  QWidget* makeShelfPage();
  QWidget* makeResults();
  QDialogButtonBox* makeButtons();
  void browse();
  void addImages();
  AdaptRequest request() const;
  QString problem() const;
  bool byHand() const;
  void onFinished();
  void refresh();
  void refreshButtons(const QString& wrong);
  void showReport(const TeachBridge::Known& report);
  void fillClasses(const AdaptReport& report, const ClassReport& counted);
  void fillWorst(const AdaptReport& report, const ClassReport& counted);

  const Document* m_document;
  TeachBridge* m_bridge;
  DataConfig m_data;
  FeaturePlace m_place = FeaturePlace::ofUser();
  TeachBridge::Known m_shown;
  QTabWidget* m_sources;
  PathRow* m_folder;
  ClassShelf* m_shelf;
  ParameterForm* m_form;
  QCheckBox* m_useAtOnce;
  QLabel *m_headline, *m_effect, *m_notes;
  QTabWidget* m_pages;  ///< after the fields, as Tab goes
  QTableWidget* m_classes;
  ConfusionView* m_confusion;
  ThumbnailList* m_worst;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_teach = nullptr, *m_stop = nullptr, *m_use = nullptr, *m_save = nullptr;
  BackgroundTask m_reading;
};

}  // namespace headlight
