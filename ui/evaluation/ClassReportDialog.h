// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// The class report of a dataset under the current masks: accuracy per class, confusion matrix and
// worst images. Not modal: it follows mask edits.

#include <QDialog>

#include "core/workbench/evaluation/ClassReport.h"
#include "ui/base/BackgroundTask.h"
#include "ui/bridge/MaskEffectBridge.h"

class QLabel;
class QPushButton;
class QTableWidget;
class QTabWidget;

namespace headlight {

class ConfusionView;
class MessageLabel;
class ProgressLine;
class ThumbnailList;

class ClassReportDialog : public QDialog {
  Q_OBJECT
 public:
  ClassReportDialog(const Document* document, const MaskEffectBridge* bridge,
                    QWidget* parent = nullptr);

  QTableWidget* classes() const { return m_classes; }
  ConfusionView* confusion() const { return m_confusion; }
  ThumbnailList* worst() const { return m_worst; }
  void exportClasses(const QString& path);
  void exportConfusion(const QString& path);

 Q_SIGNALS:
  void dataRequested();
  void anewRequested();  ///< measure again, ignoring the cache
  void opened(const headlight::Image& image, const QString& name);

 private:
  void makeButtons();
  void refresh();
  void showResult(const MaskEffectBridge::Known& result);
  void fillClasses(const ClassReport& report);
  void fillWorst(const ClassReport& report);
  void ask(const QString& title, const QString& name,
           void (ClassReportDialog::*write)(const QString&));
  QString headline() const;

  const Document* m_document;
  const MaskEffectBridge* m_bridge;
  MaskEffectBridge::Known m_shown;
  QLabel* m_headline;
  QTabWidget* m_pages;
  QTableWidget* m_classes;
  ConfusionView* m_confusion;
  ThumbnailList* m_worst;
  ProgressLine* m_progress;
  MessageLabel* m_status;
  QPushButton *m_anew = nullptr, *m_exportClasses = nullptr, *m_exportConfusion = nullptr;
  BackgroundTask m_reading;
};

}  // namespace headlight
