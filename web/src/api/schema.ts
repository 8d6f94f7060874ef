// schema.ts — every operation of the server. Made by tools/client.mjs from openapi.json: change neither by hand.

export interface Operations {
  // x
  "GET /api/approvals": {
    path: {  };
    query: { status?: string | number | boolean; limit?: string | number | boolean };
    body: undefined;
    answer: {
      approvals: {
        id: string;
        workflow_run_id: string;
        title: string;
        details: string;
        status: string;
        comment: string | null;
        requested_at: string;
        decided_at: string | null;
        expires_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  // x
  "GET /api/documents": {
    path: {  };
    query: { limit?: string | number | boolean; cursor?: string | number | boolean; status?: string | number | boolean; content_type?: string | number | boolean; entity?: string | number | boolean; include?: string | number | boolean };
    body: undefined;
    answer: {
      documents: {
        id: string;
        url: string;
        status: string;
        error: string | null;
        title: string | null;
        author: string | null;
        date: string | null;
        site: string | null;
        description: string | null;
        language: string | null;
        content_hash: string | null;
        content_path: string | null;
        content_length: number | null;
        content_type: string | null;
        workflow_run_id: string | null;
        indexed: boolean;
        fetched_at: string | null;
        created_at: string;
        updated_at: string;
      }[];
      next_cursor: string | null;
    };
  };
  // x
  "GET /api/documents/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      url: string;
      status: string;
      error: string | null;
      title: string | null;
      author: string | null;
      date: string | null;
      site: string | null;
      description: string | null;
      language: string | null;
      content_hash: string | null;
      content_path: string | null;
      content_length: number | null;
      content_type: string | null;
      workflow_run_id: string | null;
      indexed: boolean;
      fetched_at: string | null;
      created_at: string;
      updated_at: string;
      text: string;
      markdown: string;
      links: string[];
      topics: string[];
      has_code_examples: boolean | null;
      has_step_by_step_procedures: boolean | null;
      has_narrative_structure: boolean | null;
      entities: {
        name: string;
        type: string;
        mentions: number;
        confidence: number;
        quote: string;
      }[];
    };
  };
  // x
  "GET /api/documents/{id}/links": {
    path: { id: string };
    query: { direction?: string | number | boolean; limit?: string | number | boolean };
    body: undefined;
    answer: {
      links: {
        url: string;
        anchor_text: string;
        document_id: string | null;
        title: string | null;
      }[];
      next_cursor: string | null;
    };
  };
  // x
  "GET /api/files/{id}": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      organization_id: string;
      file_type: string;
      name: string;
      key: string;
      etag: string;
      content_type: string;
      sha256: string;
      workflow_type: string;
      workflow_key: string;
      workflow_run_id: string;
      status: string;
      created_at: string;
      updated_at: string;
      size: number;
    };
  };
  // x
  "GET /api/inbox": {
    path: {  };
    query: { status?: string | number | boolean; limit?: string | number | boolean; cursor?: string | number | boolean };
    body: undefined;
    answer: {
      messages: {
        id: string;
        organization_id: string;
        status: string;
        kind: string;
        source: string;
        action: string;
        key: string;
        etag: string;
        event_at: string;
        attempts: number;
        next_attempt_at: string | null;
        reason: string | null;
        workflow_run_id: string | null;
        received_at: string;
        updated_at: string;
        body: string;
      }[];
      next_cursor: string | null;
    };
  };
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
        parent_id: string | null;
        forked_from: string | null;
        stalled: {
          reason: string;
          sentence: string;
          since: string;
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
      parent_id: string | null;
      forked_from: string | null;
      stalled: {
        reason: string;
        sentence: string;
        since: string;
      } | null;
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
      child_id: string | null;
      stalled: string | null;
    };
  };
  // x
  "GET /api/search": {
    path: {  };
    query: { q?: string | number | boolean; limit?: string | number | boolean; content_type?: string | number | boolean };
    body: undefined;
    answer: {
      results: {
        document_id: string;
        url: string;
        title: string;
        snippet: string;
        content_type: string | null;
        date: string;
        score: number;
        similarity: number | null;
        has_words: boolean;
      }[];
      next_cursor: string | null;
      model: string;
      warning: string | null;
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
  "POST /api/approvals/{id}/approve": {
    path: { id: string };
    query: {  };
    body: {
      comment?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_run_id: string;
      title: string;
      details: string;
      status: string;
      comment: string | null;
      requested_at: string;
      decided_at: string | null;
      expires_at: string;
    };
  };
  // x
  "POST /api/approvals/{id}/reject": {
    path: { id: string };
    query: {  };
    body: {
      comment?: string | null;
    } | undefined;
    answer: {
      id: string;
      workflow_run_id: string;
      title: string;
      details: string;
      status: string;
      comment: string | null;
      requested_at: string;
      decided_at: string | null;
      expires_at: string;
    };
  };
  // x
  "POST /api/documents": {
    path: {  };
    query: {  };
    body: {
      url: string;
      index?: boolean | null;
      refetch?: boolean | null;
    };
    answer: {
      document_id: string;
      workflow_run_id: string;
    };
  };
  // x
  "POST /api/inbox/{id}/drop": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      organization_id: string;
      status: string;
      kind: string;
      source: string;
      action: string;
      key: string;
      etag: string;
      event_at: string;
      attempts: number;
      next_attempt_at: string | null;
      reason: string | null;
      workflow_run_id: string | null;
      received_at: string;
      updated_at: string;
      body: string;
    };
  };
  // x
  "POST /api/inbox/{id}/retry": {
    path: { id: string };
    query: {  };
    body: undefined;
    answer: {
      id: string;
      organization_id: string;
      status: string;
      kind: string;
      source: string;
      action: string;
      key: string;
      etag: string;
      event_at: string;
      attempts: number;
      next_attempt_at: string | null;
      reason: string | null;
      workflow_run_id: string | null;
      received_at: string;
      updated_at: string;
      body: string;
    };
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
  "POST /api/runs/{id}/fork": {
    path: { id: string };
    query: {  };
    body: {
      from?: string | null;
      input?: unknown;
      id?: string | null;
      outputs?: unknown;
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
}
