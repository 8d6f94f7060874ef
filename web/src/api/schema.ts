// schema.ts — every operation of the server. Made by tools/client.mjs from openapi.json: change neither by hand.

export interface Operations {
  // x
  "GET /api/runs": {
    path: {  };
    query: { status?: string | number | boolean; workflow_key?: string | number | boolean; q?: string | number | boolean; limit?: string | number | boolean; cursor?: string | number | boolean };
    body: undefined;
    answer: {
      runs: {
        id: string;
        workflow_key: string;
        status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
        current_stage: string;
        organization_id: string | null;
        file_id: string | null;
        created_at: string;
        updated_at: string;
        started_at: string | null;
        completed_at: string | null;
        wake_at: string | null;
        attempts: number;
        error: {
          code: string;
          message: string;
          stage_key: string | null;
        } | null;
        progress: {
          done: number;
          total: number;
          text: string;
        } | null;
      }[];
      next_cursor: string | null;
    };
  };
  // x
  "GET /api/runs/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      current_stage: string;
      organization_id: string | null;
      file_id: string | null;
      created_at: string;
      updated_at: string;
      started_at: string | null;
      completed_at: string | null;
      wake_at: string | null;
      attempts: number;
      error: {
        code: string;
        message: string;
        stage_key: string | null;
      } | null;
      progress: {
        done: number;
        total: number;
        text: string;
      } | null;
      cost: Record<string, unknown>;
      saved: Record<string, unknown>;
      input: unknown;
      result: unknown;
      stages: {
        stage_key: string;
        position: number;
        path: string;
        kind: string;
        status: "queued" | "running" | "retrying" | "succeeded" | "failed" | "skipped" | "canceled";
        attempt: number;
        started_at: string | null;
        finished_at: string | null;
        duration_ms: number | null;
        next_attempt_at: string | null;
        message: string | null;
        output: unknown;
        failed_attempts: {
          attempt: number;
          started_at: string | null;
          finished_at: string | null;
          error_code: string | null;
          message: string;
          worker: string | null;
        }[];
      }[];
    };
  };
  // x
  "GET /api/runs/{id}/why": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      sentence: string;
      waits_for: string;
      to_do: string | null;
      since: string | null;
      until: string | null;
      stage_key: string | null;
      attempt: number | null;
      last_error: string | null;
      worker: string | null;
      executor: string | null;
    };
  };
  // x
  "POST /ingest/upload": {
    path: {  };
    query: { force?: string | number | boolean };
    body: undefined;
    answer: {
      uploads: {
        file_id: string;
        name: string;
        key: string;
        etag: string;
        size: number;
        content_type: string;
        workflow_run_id: string;
        workflow_key: string;
        status: string;
        duplicate: boolean;
      }[];
      errors: {
        name: string;
        error: string;
      }[];
    };
  };
  // x
  "GET /api/uploads": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean; q?: string | number | boolean; workflow_type?: string | number | boolean; state?: string | number | boolean };
    body: undefined;
    answer: {
      uploads: {
        upload_event_id: string;
        organization_id: string;
        name: string;
        r2_key: string;
        r2_etag: string;
        r2_size: number;
        content_type: string;
        workflow_id: string;
        status: string;
        classification_model: string | null;
        classification_top_label: string | null;
        classification_top_score: number | null;
        classification_json: string | null;
        classification_error: string | null;
        created_at: string;
        updated_at: string;
        completed_at: string | null;
        file_id: string;
        workflow_type: string;
        workflow_key: string;
        workflow_run_id: string;
        label: string | null;
        score: number | null;
      }[];
      next_cursor: string | null;
    };
  };
  // x
  "POST /api/documents": {
    path: {  };
    query: {  };
    body: {
      url: string;
      index: boolean;
    } | undefined;
    answer: unknown;
  };
  // x
  "POST /api/runs/{id}/cancel": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // x
  "POST /api/runs/{id}/pause": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // x
  "POST /api/runs/{id}/resume": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
  // x
  "POST /api/runs/{id}/retry": {
    path: { id: string };
    query: {  };
    body: {
      reason?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_key: string;
      status: "queued" | "running" | "waiting" | "paused" | "succeeded" | "failed" | "canceled";
      pending: string | null;
    };
  };
}
