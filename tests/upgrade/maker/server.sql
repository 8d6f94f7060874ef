-- What a server of 0.1.0 has written: a photo that was classified, and the run that did it.
INSERT INTO workflow_runs (public_id, workflow_key, status, current_stage, epoch, created_at, updated_at, started_at, completed_at,
                           organization_id, source_channel, file_id, input, result)
VALUES ('imgcls_old', 'IMAGE_CLASSIFICATION', 'succeeded', 'persist-classification', 1, 1795120000000, 1795120001000, 1795120000000,
        1795120001000, 'default', 'upload', 'file_old', '{"file_id":"file_old"}',
        '{"labels":[{"label":"hotdog","score":0.97}]}');
INSERT INTO unified_files (id, organization_id, file_type, original_filename, original_file_id, original_file_size, mime_type,
                           file_suffix, content_hash, object_key, object_etag, workflow_type, ingest_workflow_key,
                           ingest_source_channel, workflow_run_id, ai_status, created_at, updated_at)
VALUES ('file_old', 'default', 'image', 'old.jpg', 'file_old', 1000, 'image/jpeg', 'jpg',
        '8c7dd922ad47494fc02c388e12c00eac8c7dd922ad47494fc02c388e12c00eac', 'default/old.jpg', 'etag-old', 'image',
        'IMAGE_CLASSIFICATION', 'upload', 'imgcls_old', 'completed', 1795120000000, 1795120001000);
INSERT INTO Upload (upload_event_id, organization_id, name, r2_key, r2_etag, r2_size, content_type, workflow_id, status,
                    classification_model, classification_top_label, classification_top_score, classification_json,
                    created_at, updated_at, completed_at)
VALUES ('old', 'default', 'old.jpg', 'default/old.jpg', 'etag-old', 1000, 'image/jpeg', 'imgcls_old', 'classified',
        'inception_v3', 'hotdog', 0.97, '[{"label":"hotdog","score":0.97}]', 1795120000000, 1795120001000, 1795120001000);
