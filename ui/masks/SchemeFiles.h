// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once
// Mask schemes to and from files, in the background. Errors are reported through
// Document::failed.

#include <QObject>

class QWidget;

namespace headlight {

class BackgroundTask;
class Document;

class SchemeFiles : public QObject {
  Q_OBJECT
 public:
  /// `asks`: the parent of its dialogs.
  SchemeFiles(Document* document, QWidget* asks);

  /// An edit that can be undone; nothing without a model.
  void load(const QString& path);
  void save(const QString& path);
  void chooseToLoad();
  void chooseToSave();

 private:
  Document* m_document;
  QWidget* m_asks;
  BackgroundTask* m_task;
};

}  // namespace headlight
